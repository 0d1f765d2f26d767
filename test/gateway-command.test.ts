import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { executeGateway, type GatewayFlags } from "../src/cli/gateway.js";
import { isGroupRunning } from "../src/exec/process/index.js";
import { type MockOptions, startMock } from "../src/testing/mock/index.js";

const BINARY = fileURLToPath(new URL("../bin/assay.js", import.meta.url));

/** Converts options to flags. */
function flagsOf({ upstream = {}, models, maxCost, timeout, output, allowUnmetered }: GatewayFlags): string[] {
  const allowed = allowUnmetered === true ? ["--allow-unmetered"] : [];
  const upstreams = Object.entries(upstream).map(([name, url]) => `${name}=${url}`);
  const given = { "--upstream": upstreams.join(","), "--models": models, "--max-cost": maxCost, "--timeout": timeout };
  const valued = Object.entries({ ...given, "--output": output }).flatMap(([flag, value]) =>
    value === undefined || value === "" ? [] : [flag, String(value)],
  );
  return [...valued, ...allowed];
}

/** Makes one call per argument, and prints the result. */
const PROGRAM = `
for (const model of process.argv.slice(1)) {
  const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST", body: JSON.stringify({ model, stream: model.startsWith("slow"), messages: [{ role: "user", content: "hi" }] }),
  });
  await response.text().catch(() => {});
  console.log(model, response.status);
}`;

let dir = "";
let mock: Awaited<ReturnType<typeof startMock>> | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "assay-gateway-"));
});
afterEach(async () => {
  await mock?.close();
  mock = undefined;
  await rm(dir, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function run(options: GatewayFlags, ...command: readonly string[]): Run {
  const args = [BINARY, "gateway", ...flagsOf(options), ...(command.length === 0 ? [] : ["--", ...command])];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    // There is no models.yml unless a test writes one.
    cwd: dir,
    env: { ...process.env, DIR: dir },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => {
    stdout += String(data);
  });
  child.stderr.on("data", (data) => {
    stderr += String(data);
  });
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr })) };
}

async function upstreamOf(script: MockOptions): Promise<GatewayFlags> {
  mock = await startMock(script);
  return { upstream: { openai: `${mock.url}/v1` } };
}

const program = (...models: readonly string[]) => [process.execPath, "--input-type=module", "-e", PROGRAM, ...models];

const MODELS = `models:
  dear: { pricing: { input_per_1k: 0.001, output_per_1k: 0.01 } }
  "dear (priority)": { pricing: { input_per_1k: 0.01, output_per_1k: 0.1 } }
  slow-dear: { pricing: { input_per_1k: 0.001, output_per_1k: 0.01 } }
`;

async function modelsFile(): Promise<string> {
  await writeFile(join(dir, "models.yml"), MODELS);
  return join(dir, "models.yml");
}

async function number(name: string): Promise<number> {
  const read = () => readFile(join(dir, name), "utf8").catch(() => "");
  await expect.poll(read).toMatch(/^\d+\n$/);
  return Number(await read());
}

describe("assay gateway", () => {
  it("meters a program, returns its exit code and prints a receipt", async () => {
    const options = {
      ...(await upstreamOf({ usage: { input: 1000 }, outputTokens: 100 })),
      models: await modelsFile(),
    };
    const { code, stdout, stderr } = await run(options, ...program("dear", "dear"), "--", "x").ended;
    expect(stdout).toBe("dear 200\ndear 200\n-- 200\nx 200\n");
    expect(stderr).toContain("# Receipt");
    expect(stderr).toMatch(/\| dear +\| +2 \| +2000 \| +0 \| +0 \| +200 \| +0 \| \$0\.0040 \| priced/);
    expect(stderr).toContain("4 requests: 4 answered");
    expect(stderr).toContain("no price is known for --, x");
    expect(code).toBe(0);
    expect((await run(options, "sh", "-c", "exit 7").ended).code).toBe(7);
    expect((await run(options, "sh", "-c", "kill -9 $$").ended).code).toBe(137);
  });

  it("stops a program whose budget is spent, with all its children", async () => {
    const options = {
      ...(await upstreamOf({ outputTokens: 5000, tokensPerSec: 2000 })),
      models: await modelsFile(),
      maxCost: 0.01,
    };
    const script = `echo $$ > $DIR/pid; sh -c 'trap "" TERM; while true; do sleep 0.05; done' & "$@"; echo unreached; sleep 60`;
    const { code, stdout, stderr } = await run(options, "sh", "-c", script, "sh", ...program("slow-dear")).ended;
    expect(code).toBe(1);
    expect(stdout).not.toContain("unreached");
    expect(stderr).toMatch(/The budget is spent \(\$0\.01\d*\): stopping sh/);
    expect(stderr).toMatch(/1 request: 1 cut by the budget/);
    expect(stderr).toContain("of $0.0100 spent; the limit was exceeded at $0.01");
    expect(isGroupRunning(await number("pid"))).toBe(false);
  });

  it("rejects calls that cannot be metered under a limit, unless allowed", async () => {
    const script = `
const post = (path, body) => fetch(process.env.OPENAI_BASE_URL + path, { method: "POST", body: JSON.stringify(body) });
const response = await post("/images/generations", { model: "dear" });
console.log(response.status, (await response.json()).error.message);
const dear = { model: "dear", service_tier: "priority", messages: [{ role: "user", content: "hi" }] };
console.log((await post("/chat/completions", dear)).status);`;
    const options = {
      ...(await upstreamOf({ usage: { input: 1000 }, outputTokens: 100 })),
      models: await modelsFile(),
      maxCost: 5,
      output: "json",
    };
    const asking = [process.execPath, "--input-type=module", "-e", script];
    const refused = await run(options, ...asking).ended;
    expect(refused.stderr).toMatch(/^400 .*POST openai\/images\/generations cannot be metered.*--allow-unmetered/m);
    expect(JSON.parse(refused.stdout)).toMatchObject({ refused: 1, answered: 1, totalUsd: 0.02, unmeteredPaths: [] });
    const allowed = await run({ ...options, allowUnmetered: true }, ...asking).ended;
    expect(allowed.stderr).toMatch(/^404 /m);
    expect(mock?.requests.map(({ path }) => path)).toContain("/v1/images/generations");
    expect(JSON.parse(allowed.stdout)).toMatchObject({
      refused: 0,
      failed: 1,
      byModel: [{ model: "dear (priority)" }],
    });
  });

  it("stops a program after its time limit", async () => {
    const { code, stderr } = await run({ timeout: 0.2 }, "sleep", "60").ended;
    expect(code).toBe(1);
    expect(stderr).toContain("The time limit of 0.2 s is reached: stopping sleep.");
  });

  it("prints the receipt as JSON on stdout, and redirects the program's own output", async () => {
    const options = { ...(await upstreamOf({ usage: { input: 1000 } })), models: await modelsFile(), output: "json" };
    const { stdout, stderr } = await run(options, ...program("dear")).ended;
    expect(JSON.parse(stdout)).toMatchObject({ requests: 1, answered: 1, stoppedBy: null, exitCode: 0 });
    expect(stderr).toContain("dear 200");
  });

  it("explains how to configure programs that ignored the variables", async () => {
    const { stderr } = await run({}, "true").ended;
    for (const name of [
      "No requests arrived",
      "claude",
      "codex",
      "model_providers.assay",
      "gemini",
      "opencode",
      "pi",
    ]) {
      expect(stderr).toContain(name);
    }
  });

  it("forwards Ctrl-C, and still prints the receipt", async () => {
    const script = "trap 'echo caught; kill $!; exit 3' INT; sleep 60 & echo $$ > $DIR/pid; wait";
    const { child, ended } = run({}, "sh", "-c", script);
    await number("pid");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([3, "caught\n"]);
    expect(stderr).toContain("# Receipt");
  });

  it("kills a program that ignores it at the second Ctrl-C", async () => {
    const { child, ended } = run(
      {},
      "sh",
      "-c",
      "trap '' INT TERM; echo $$ > $DIR/pid; while true; do sleep 0.05; done",
    );
    const pid = await number("pid");
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect((await ended).code).toBe(137);
    expect(isGroupRunning(pid)).toBe(false);
  });

  it("prints the variables and meters until Ctrl-C without a program", async () => {
    const { child, ended } = run(await upstreamOf({}));
    const [lines] = await once(child.stdout as NodeJS.ReadableStream, "data");
    const url = /export OPENAI_BASE_URL='(.*)'/.exec(String(lines))?.[1];
    const body = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hi" }] });
    expect((await fetch(`${url}/chat/completions`, { method: "POST", body })).status).toBe(200);
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain("1 request: 1 answered");
  });

  it.each([
    [{}, ["no-such-program-here"], /Program "no-such-program-here" not found/],
    [{ output: "html" }, ["true"], /Unknown output format "html"/],
    [{ timeout: 0 }, ["true"], /--timeout must be/],
    [{ models: "/nowhere/models.yml" }, ["true"], /cannot be read/],
    [{ upstream: { opnai: "http://x" } }, ["true"], /Did you mean "openai"/],
    [{ maxCost: -1 }, ["true"], /must be/],
  ] as const)("rejects %o %o", async (options, command, message) => {
    const refused = executeGateway(options, command);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ exitCode: 2 });
  });
});
