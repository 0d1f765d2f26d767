import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { requireClean } from "../src/evals/lint/lint-testing.js";
import { GREETING_RULE, startGreetingModel, TINY_AGENT_COMMAND } from "../src/testing/agent-cli-fixtures.js";
import { TempEvalProject } from "../src/testing/eval-cli-fixtures.js";
import { parseReport, runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const words = (text: string) => text.replaceAll(/\s+/g, " ");

/** A failing judge: each answer is a transient error with an immediate retry. */
async function illJudge(): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server: Server = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(500, { "retry-after": "0", "content-type": "application/json" });
    response.end('{"error":{"message":"the judge is ill"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

const JUDGED = `name: judged
defaults: { executor: "node agent.mjs {prompt}" }
stimuli:
  - { name: asked, prompt: write made.txt, graders: [{ type: prompt, config: { prompt: Is it polite? } }] }
  - name: decided
    prompt: write other.txt
    graders:
      - { type: prompt, config: { prompt: Is it polite? } }
      - { type: file-exists, required: true, config: { path: made.txt } }
`;

describe("a failing judge", () => {
  it("makes a trial unscored, not failed, unless the other graders decide already", async () => {
    const space = new TempEvalProject({ "eval.yaml": JUDGED });
    const judge = await illJudge();
    const flags = ["--judge-model", "openai/gpt-5-mini", "--judge-url", judge.url, "--judge-api-key-env", "LOG"];
    const finished = await space.eval(...flags, "--allow-insecure", "--output", "json", "--junit", "junit.xml");
    expect(finished.code).toBe(3);
    expect(finished.stderr).toContain("only 50 % of the planned trials were scored");
    const { rows } = parseReport(finished);
    expect(rows.map(({ exampleId, outcome, errorCategory }) => [exampleId, outcome, errorCategory])).toEqual([
      ["asked", "unscored", "grader_error"],
      ["decided", "fail", "logic_error"],
    ]);
    expect(judge.asked()).toBeGreaterThan(1);
    expect(space.read("junit.xml")).toMatch(/<skipped message="unscored: .*the judge is ill/);
  });
});

const GREETED = `name: greeted
defaults: { executor: ${JSON.stringify(TINY_AGENT_COMMAND)}, model: openai/gpt-5-mini, runs: 2, max_cost_usd: 1 }
stimuli:
  - { name: greet, prompt: Write the greeting, graders: [{ type: loud, config: { path: hello.txt } }] }
`;

/** A grader that is not part of the package. */
const PLUGIN = `import { existsSync } from "node:fs";
import { join } from "node:path";
export function register(registry) {
  registry.register("grader", "loud", ({ path }) => ({
    name: "loud",
    grade: ({ workspace }) => ({ passed: existsSync(join(workspace, path)), evidence: path }),
  }));
}
`;

describe("an eval of an agent with a model", () => {
  it("uses a models file, a key, a cache and a grader of the project", async () => {
    const mock = await startGreetingModel({ tools: [GREETING_RULE] });
    const models = `models:\n  small: { api_name: gpt-5-mini, provider: openai, pricing: { input_per_1k: 1, output_per_1k: 1 } }\n`;
    const space = new TempEvalProject({
      "eval.yaml": GREETED,
      "prices.yml": models,
      "plugin.mjs": PLUGIN,
      "home/x": "",
    });
    const paid = ["--agent-url", mock.url, "--models", "prices.yml", "--api-key-env", "LOG", "--model", "small"];
    const base = ["--plugin", "plugin.mjs", "--agent-home", "home", "--output", "json", ...paid];
    const first = parseReport(await space.eval(...base, "--cache-dir", "cache", "--trial-max-cost", "100"));
    expect(first.rows).toMatchObject([
      { system: "tiny-agent:small", outcome: "pass", scores: { loud: 1 } },
      { system: "tiny-agent:small", outcome: "pass" },
    ]);
    expect(Number(first.rows[0]?.costUsd)).toBeGreaterThan(0.01);
    const asked = mock.counts.requests;
    const [cached, poor] = await Promise.all([
      space.eval(...base, "--cache-dir", "cache", "--runs-dir", "r2"),
      space.eval(...base, "--runs-dir", "r3", "--max-cost", "0.5"),
    ]);
    expect(parseReport(cached).rows.map(({ cached: isCached }) => isCached)).toEqual([true, true]);
    expect(poor.code).toBe(2);
    expect(poor.stderr).toContain("The run budget (--max-cost, $0.5000) does not cover one trial");
    expect(mock.counts.requests).toBe(asked);
  });
});

/** An agent that ignores the model it is given. */
const STUBBORN = `const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] });
const headers = { "content-type": "application/json" };
const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body });
console.log((await answer.json()).choices[0].message.content);
`;

const STUBBORN_EVAL = `name: stubborn
defaults: { executor: "node stubborn.mjs {prompt}", model: openai/gpt-5-mini }
stimuli:
  - { name: greet, prompt: Greet, graders: [{ type: completed }] }
`;

describe("an agent that calls another model", () => {
  it("gets a note, and an error with --strict-model", async () => {
    const mock = await startGreetingModel({ reply: "Hello." });
    const space = new TempEvalProject({ "eval.yaml": STUBBORN_EVAL, "stubborn.mjs": STUBBORN });
    const flags = ["--agent-url", mock.url, "--output", "json"];
    const [noted, strict] = await Promise.all([
      space.eval(...flags),
      space.eval(...flags, "--strict-model", "--runs-dir", "strict"),
    ]);
    const words = "requested gpt-5-mini, but gpt-4o-mini was called";
    expect(parseReport(noted).rows).toMatchObject([{ outcome: "pass", notes: [`another model: ${words}`] }]);
    expect(parseReport(strict).rows).toMatchObject([{ outcome: "error", errorCategory: "system_error" }]);
    expect(parseReport(strict).rows[0]?.attempts[0]?.message).toContain(words);
  });
});

describe("assay init", () => {
  it("writes an eval that has no lint errors, is sound and runs with a simulated model", async () => {
    const space = new TempProject();
    const agent = `${TINY_AGENT_COMMAND} {skills}`;
    const made = await runAssay(space.dir, "init", "mine", "--executor", agent);
    expect(made.code).toBe(0);
    expect(made.stderr).toContain("  cd mine\n");
    const dir = space.path("mine");
    await requireClean(dir);
    const model = ["--model", "openai/gpt-5-mini", "--runs", "1"];
    const [twice, lint, oracle, run] = await Promise.all([
      runAssay(space.dir, "init", "mine"),
      runAssay(dir, "lint"),
      runAssay(dir, "oracle"),
      runAssay(dir, "eval", "--mock", "evals/changelog/mock.yaml", ...model, "--stimulus", "removed-flag"),
    ]);
    expect(twice.code).toBe(2);
    expect(twice.stderr).toMatch(/eval\.yaml.* already exist\. Choose another folder, or overwrite with --force/);
    expect({ code: lint.code, said: lint.stdout + lint.stderr }).toMatchObject({ code: 0 });
    expect({ code: oracle.code, said: oracle.stdout }).toMatchObject({ code: 0 });
    expect(run.stderr).toContain("The model is simulated by evals/changelog/mock.yaml");
    expect(words(run.stdout)).toContain("1 of 1 trial passed");
    expect(run.code).toBe(0);
    expect((await runAssay(space.dir, "init", "mine", "--force", "--executor", "codex")).code).toBe(0);
    expect(space.read("mine/evals/changelog/eval.yaml")).toContain("\n  executor: codex\n");
  });
});

describe("efforts of an eval", () => {
  const write = (executor: string) =>
    new TempEvalProject({
      "eval.yaml": `name: asked\ndefaults: { executor: ${JSON.stringify(executor)}, model: openai/gpt-5-mini }\nstimuli:\n  - { name: asked, prompt: Do it., graders: [{ type: file-exists, config: { path: made.txt } }] }\n`,
    });

  it("run an agent once with each", async () => {
    const { code, stdout, stderr } = await write("codex").eval("--effort", "low,high", "--dry-run");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout + stderr).toContain("systems: codex:openai/gpt-5-mini@low, codex:openai/gpt-5-mini@high");
  });

  it("are refused for a program that cannot be told one", async () => {
    const { code, stderr } = await write(TINY_AGENT_COMMAND).eval("--effort", "low", "--dry-run");
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain("cannot be told an effort, but is given low. Remove it.");
  });
});

describe("flags of assay eval", () => {
  it("each appear in one of its test suites", async () => {
    const { stdout } = await runAssay(new TempProject().dir, "eval", "--help", "all");
    const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = ""]) => flag);
    expect(flags.length).toBeGreaterThan(35);
    const folder = new URL(".", import.meta.url);
    const suites = readdirSync(folder)
      .filter((name) => /^(?:eval-cli.*|record-replay)\.test\.ts$/.test(name))
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
      .join("\n");
    expect(flags.filter((flag) => !suites.includes(`"${flag}"`))).toEqual([]);
  });
});
