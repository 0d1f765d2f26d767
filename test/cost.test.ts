import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

/** An agent that costs a cent for each of its two answers. */
const AGENT = `
export default {
  name: "agent",
  process: () => {
    const usage = { input: 1000, output: 30 };
    const event = (type, fields) => ({ type, timestamp: 1, ...fields });
    return {
      response: "Paris",
      usage: { input: 2000, output: 60 },
      costUsd: 0.02,
      trajectory: {
        startedAt: 0,
        events: [
          event("turn_start"),
          event("tool_call", { name: "Bash", callId: "1", arguments: { command: "ls" } }),
          event("token_usage", { model: "m", usage, costUsd: 0.01, durationMs: 8 }),
          event("tool_result", { callId: "1", success: true, result: "" }),
          event("turn_start"),
          event("assistant_message", { text: "Paris" }),
          event("token_usage", { model: "m", usage, costUsd: 0.01, durationMs: 8 }),
        ],
      },
    };
  },
};`;

const SILENT = 'export default { name: "silent", process: () => ({ response: "Paris" }) };';

async function measure(...systems: string[]): Promise<TempProject> {
  const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "agent.mjs": AGENT, "silent.mjs": SILENT });
  const flags = systems.flatMap((file) => ["--system", file]);
  const run = ["run", ...flags, "--dataset", "capitals.jsonl", "--score-field", "exact_match", "--quiet"];
  const { code, stderr } = await runPooledAssay(space.dir, ...run, "--output", "json");
  expect(code, stderr).toBe(0);
  return space;
}

describe("assay cost", () => {
  it("splits the bill of each system, as tables and as JSON", async () => {
    const space = await measure("./agent.mjs", "./silent.mjs");
    const shown = await runPooledAssay(space.dir, "cost");
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toMatch(/## agent\n\n- bill: \$0\.\d+ for \d+ trials, [\d,]+ tokens\n/);
    expect(shown.stdout).toMatch(/\| Bash +\| \$0\.\d+ +\| +50 % \|/);
    expect(shown.stdout).toMatch(/\| unattributed +\| \$0\.\d+ +\| +100 % \|/);
    expect(shown.stdout).toMatch(/## silent\n\n- bill: unknown for \d+ trials, tokens unknown\n/);
    const told = await runPooledAssay(space.dir, "cost", "latest", "fr#0", "--system", "agent", "--output", "json");
    expect(told.code, told.stderr).toBe(0);
    const report = JSON.parse(told.stdout);
    expect(report).toMatchObject({
      schema: "assay.cost/1",
      systems: [{ system: "agent", trials: 1, costUsd: 0.02, tokens: 2060, judgeUsd: 0 }],
    });
    expect(report.systems[0].splits.kind).toEqual([
      { name: "tool calls", costUsd: 0.01, tokens: 1030, count: 1 },
      { name: "text", costUsd: 0.01, tokens: 1030, count: 1 },
    ]);
    const markdown = await runPooledAssay(space.dir, "cost", "latest", "--output", "markdown");
    expect(markdown.stdout).toBe(shown.stdout);
  });

  it("says what is wrong with a request", async () => {
    const space = await measure("./silent.mjs");
    const none = await runPooledAssay(space.dir, "cost");
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(none.stderr).toContain("no trial has a cost or tokens, so there is nothing to split");
    const run = await runPooledAssay(space.dir, "cost", "nosuch");
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("There is no run folder nosuch");
    const system = await runPooledAssay(space.dir, "cost", "latest", "--system", "silence");
    expect(system.stderr).toContain('The run has no system "silence". Did you mean "silent"?');
    const example = await runPooledAssay(space.dir, "cost", "latest", "frr");
    expect(example.stderr).toContain('The run has no trial "frr"');
    const output = await runPooledAssay(space.dir, "cost", "--output", "tabel");
    expect(output.stderr).toContain('Unknown output format "tabel". Did you mean "table"?');
  });
});
