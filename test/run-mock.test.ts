import { describe, expect, it } from "vitest";
import { TINY_AGENT_COMMAND } from "../src/testing/agent-cli-fixtures.js";
import { parseReport, runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const FILES = {
  "data.jsonl": '{"id":"a","question":"Capital of France?","answer":"Paris"}\n',
  "mock.yaml": "reply: Paris\n",
};
const RUN = ["run", "--model", "anthropic/claude-sonnet-4-5", "--model", "openai/gpt-5", "--dataset", "data.jsonl"];

describe("assay run --mock", () => {
  it("simulates models of every provider without a key, under their names and prices", async () => {
    const space = new TempProject(FILES);
    const report = parseReport(
      await runAssay(space.dir, ...RUN, "--mock", "mock.yaml", "--max-cost", "5", "--output", "json"),
    );
    expect(Object.keys(report.summary)).toEqual(["anthropic/claude-sonnet-4-5", "openai/gpt-5"]);
    expect(report.rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
    expect(report.rows.every(({ costUsd }) => Number(costUsd) > 0)).toBe(true);
  });

  it("reuses cached outputs as long as the script is the same", async () => {
    const space = new TempProject(FILES);
    const run = () =>
      runAssay(space.dir, ...RUN, "--mock", "mock.yaml", "--cache-dir", "cache", "--output", "json").then(parseReport);
    await run();
    const cached = async () => (await run()).rows.map(({ cached: isCached }) => isCached);
    expect(await cached()).toEqual([true, true]);
    space.write("mock.yaml", "reply: Rome\n");
    expect(await cached()).toEqual([false, false]);
  });

  it.each([
    ["run", ["--agent-command", TINY_AGENT_COMMAND, "--agent-model", "openai/gpt-5", "--dataset", "data.jsonl"]],
    ["eval", ["-e", "eval.yaml", "--executor", TINY_AGENT_COMMAND, "--model", "openai/gpt-5"]],
  ])(
    "takes a run of agents up again with %s --resume, although the simulated model has another port",
    async (command, flags) => {
      const space = new TempProject({
        ...FILES,
        "eval.yaml":
          "name: capital\nstimuli: [{ name: a, prompt: 'Capital of France?', graders: [{ type: output-contains, config: { substring: Paris } }] }]\n",
      });
      const first = await runAssay(space.dir, command, ...flags, "--mock", "mock.yaml", "--output", "json");
      expect(first.code).toBe(0);
      const again = await runAssay(space.dir, command, "--resume", space.runs()[0] ?? "", "--output", "json");
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("already finished") });
      expect(parseReport(again).rows).toEqual(parseReport(first).rows);
    },
  );

  it("takes an experiment up again, although the simulated model has another port", async () => {
    const space = new TempProject({
      ...FILES,
      "eval.yaml": `name: capital
defaults: { runs: 1, executor: "${TINY_AGENT_COMMAND}", model: openai/gpt-5 }
stimuli: [{ name: a, prompt: 'Capital of France?', graders: [{ type: output-contains, config: { substring: Paris } }] }]
`,
      "experiment.yaml": `name: runs
eval: eval.yaml
baseline: plain
vary: [/defaults/timeout]
variants: { plain: {}, patient: { /defaults/timeout: 90s } }
`,
    });
    const run = (...flags: string[]) =>
      runAssay(space.dir, "experiment", "run", "experiment.yaml", "--trust", "--mock", "mock.yaml", ...flags);
    const first = await run();
    expect(first.code, first.stderr).toBe(0);
    const again = await run("--resume", space.runs()[0] ?? "");
    expect(again).toMatchObject({ code: 0, stdout: first.stdout });
  });

  it.each([
    [["--mock", "none.yaml"], /none\.yaml cannot be read/],
    [["--mock", "mock.yaml", "--agent-url", "http://127.0.0.1:1"], /--mock cannot be combined with --agent-url/],
    [["--mock", "mock.yaml", "--queue", "redis://127.0.0.1:1"], /--mock works only on this machine/],
  ])("refuses %j", async (flags, message) => {
    const { code, stderr } = await runAssay(new TempProject(FILES).dir, ...RUN, ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
