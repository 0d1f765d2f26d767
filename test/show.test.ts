import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { startAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

/** Acts like an agent, prints terminal control sequences, and is right only about France. */
const AGENT = `
const at = (startedAt, seconds, event) => ({ ...event, timestamp: startedAt + 1000 * seconds });
export default {
  name: "agent",
  process: () => {
    const startedAt = Date.now();
    const usage = { input: 1200, output: 30 };
    return {
      response: "Paris",
      usage,
      turns: 2,
      trajectory: {
        startedAt,
        events: [
          at(startedAt, 0.5, { type: "turn_start" }),
          at(startedAt, 1, { type: "tool_call", name: "Bash", callId: "1", arguments: { command: "cat map.txt" } }),
          at(startedAt, 2, { type: "token_usage", model: "m", usage, costUsd: 0.004, durationMs: 800 }),
          at(startedAt, 3, { type: "tool_result", callId: "1", success: false, result: "\\u001b[2Jno such file" }),
          at(startedAt, 4, { type: "turn_start" }),
          at(startedAt, 5, { type: "assistant_message", text: "Paris" }),
        ],
      },
      workspace: { changes: [{ path: "answer.txt", status: "added", content: "Paris\\n" }] },
    };
  },
};`;

async function measured(...flags: string[]): Promise<TempProject> {
  const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "agent.mjs": AGENT });
  const run = ["run", "--system", "./agent.mjs", "--dataset", "capitals.jsonl", "--score-field", "exact_match"];
  const { code, stderr } = await runPooledAssay(space.dir, ...run, "--quiet", "--output", "json", ...flags);
  expect(code, stderr).toBe(0);
  return space;
}

describe("assay show", () => {
  it("lists the trials of the latest run, then shows one by name", async () => {
    const space = await measured();
    const list = await runPooledAssay(space.dir, "show");
    expect(list.code, list.stderr).toBe(0);
    expect(list.stdout).toMatch(/\| agent +\| fr#0 +\| pass /);
    const failed = await runPooledAssay(space.dir, "show", "latest", "--outcome", "fail");
    expect(failed.stdout).not.toContain("fr#0");
    const shown = await runPooledAssay(space.dir, "show", space.runs()[0] ?? "", "it#0");
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain("outcome   fail (logic_error): exact_match = 0, less than 0.7");
    expect(shown.stdout).toContain("   +1.0 s  calls     Bash: cat map.txt\n");
    expect(shown.stdout).toContain(
      "   +2.0 s  tokens    1,200 in, 30 out · so far 1,230 tokens, $0.0040 · m · 800 ms\n",
    );
    expect(shown.stdout).toContain("   +3.0 s  failed    Bash after 2.0 s: \ufffd[2Jno such file\n");
    expect(shown.stdout).toContain("   +4.0 s  turn 2\n");
    expect(shown.stdout).toContain("  added     answer.txt (+1 line)\n");
  });

  it("writes one trial as JSON, and nothing else to stdout", async () => {
    const space = await measured();
    const { code, stdout, stderr } = await runPooledAssay(space.dir, "show", "latest", "fr", "--output", "json");
    expect(code, stderr).toBe(0);
    const trial = JSON.parse(stdout);
    expect(trial).toMatchObject({ schema: "assay.trial/1", row: { exampleId: "fr", outcome: "pass", turns: 2 } });
    expect(trial.output.trajectory.events).toHaveLength(6);
  });

  it("exits with 2 and a suggestion if a trial is ambiguous", async () => {
    const space = await measured("--trials", "2");
    const several = await runPooledAssay(space.dir, "show", "latest", "fr");
    expect(several.code).toBe(2);
    expect(several.stdout).toBe("");
    expect(several.stderr).toContain(
      '"fr" matches 2 trials. Choose one:\n  assay show latest fr#0\n  assay show latest fr#1\n',
    );
    const [, ...typed] = /assay (show latest fr#1)/.exec(several.stderr)?.[1]?.split(" ") ?? [];
    expect((await runPooledAssay(space.dir, "show", ...typed)).stdout).toContain("# agent: fr#1");
    const none = await runPooledAssay(space.dir, "show", "latest", "frr");
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("List them with: assay show latest --all");
    const run = await runPooledAssay(space.dir, "show", "fr");
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("For a trial of the latest run: assay show latest fr");
  });

  it("stops quietly on a closed pipe", async () => {
    const space = await measured();
    const { child, finished } = startAssay(space.dir, ["show", "latest", "fr", "--full"]);
    child.stdout?.destroy();
    expect(await finished).toMatchObject({ code: 0, stderr: "" });
  });
});
