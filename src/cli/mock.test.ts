import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { executeMock, type MockFlags } from "./mock.js";

const COMMAND = fileURLToPath(new URL("mock.ts", import.meta.url));
const JITI = import.meta.resolve("jiti");
let dir: string;
let child: ChildProcess | undefined;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-mock-"));
  writeFileSync(
    join(dir, "start.mjs"),
    `import { createJiti } from ${JSON.stringify(JITI)};
const { executeMock } = await createJiti(import.meta.url).import(${JSON.stringify(COMMAND)});
process.exit(await executeMock(JSON.parse(process.argv[2])));`,
  );
});
afterAll(() => rmSync(dir, { recursive: true }));
afterEach(() => child?.kill("SIGKILL"));

/** Runs the command in a child process, up to the lines with its address. */
async function run(flags: MockFlags) {
  const started = spawn(process.execPath, [join(dir, "start.mjs"), JSON.stringify(flags)]);
  child = started;
  const seen = { stdout: "", stderr: "" };
  started.stderr.on("data", (data: Buffer) => {
    seen.stderr += data.toString();
  });
  started.stdout.on("data", (data: Buffer) => {
    seen.stdout += data.toString();
  });
  const exited = once(started, "exit");
  await expect.poll(() => seen.stdout).toContain("GOOGLE_GEMINI_BASE_URL=");
  const variables = Object.fromEntries(
    seen.stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
  const stop = async (signal: NodeJS.Signals) => {
    started.kill(signal);
    const [code] = (await exited) as [number | null];
    return { code, ...seen };
  };
  return { variables, stop };
}

describe("assay mock", () => {
  it("prints base URLs, lets flags override the script, and prints counts at the end", async () => {
    const script = join(dir, "script.yaml");
    writeFileSync(script, "reply: from the script\nfaults: [{ kind: 429, first: 1 }]\n");
    const { variables, stop } = await run({ script, reply: "from the flag", verbose: true });
    const base = variables.ANTHROPIC_BASE_URL;
    expect(variables).toEqual({
      OPENAI_BASE_URL: `${base}/v1`,
      ANTHROPIC_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      GOOGLE_GEMINI_BASE_URL: base,
    });
    const body = JSON.stringify({ model: "m", input: "Hi" });
    const asked = () => fetch(`${variables.OPENAI_BASE_URL}/responses`, { method: "POST", body });
    expect((await asked()).status).toBe(429);
    expect(await (await asked()).text()).toContain("from the flag");
    const { code, stderr } = await stop("SIGINT");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^#1 POST \/v1\/responses 429 \d+ ms m, fault 429$/m);
    expect(stderr).toMatch(/2 requests, at most 1 at a time\nby status {2}200: 1, 429: 1\nby fault {3}429: 1/);
  });

  it("ends on SIGTERM even with an open request", async () => {
    const { variables, stop } = await run({ fault: ["hang"] });
    const body = JSON.stringify({ model: "m", input: "Hi" });
    const hanging = fetch(`${variables.OPENAI_BASE_URL}/responses`, { method: "POST", body }).catch(() => "gone");
    await fetch(`${variables.OPENAI_BASE_URL}/models`);
    expect((await stop("SIGTERM")).code).toBe(0);
    expect(await hanging).toBe("gone");
  });

  const refused: [string, MockFlags, string][] = [
    ["a host that others can reach", { host: "0.0.0.0" }, "--host 0.0.0.0 would give other machines access"],
    ["a name that begins like this machine's", { host: "127.evil.example" }, "would give other machines access"],
    ["a fault it does not know", { fault: ["42=0.5"] }, "--fault 42=0.5: unknown kind."],
    ["an invalid rate", { fault: ["429=often"] }, "the rate must be a number from 0 to 1, as in 429=0.1"],
    ["a script that is not there", { script: "/none.yaml" }, "The script /none.yaml cannot be read"],
    ["a share above 1", { successRate: 3 }, "successRate must be from 0 to 1."],
  ];

  it.each(refused)("rejects %s", async (_, flags, message) => {
    await expect(executeMock(flags)).rejects.toThrow(message);
  });
});
