import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  GREET_EXAMPLE,
  GREETING_RULE,
  listProcessesIn,
  makeTinyAgentFlags,
  startGreetingModel,
  waitUntil,
} from "../src/testing/agent-cli-fixtures.js";
import { parseReport, runAssay, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const JSON_OUTPUT = ["--output", "json"];
const HUNG = "Wait for ever";

/** Leaves a process behind in its own session, reports it, and hangs. Later it does as told. */
function hanging(go: string): string {
  return `[ -e '${go}' ] && echo hello > hello.txt && exit; setsid sleep 300 & echo > '${go}.hung'; sleep 300`;
}

/** One task that passes at once, and one that hangs until there is a file "go". */
async function halfway() {
  const space = new TempProject({
    "t.jsonl": [GREET_EXAMPLE, { ...GREET_EXAMPLE, id: "hung", question: HUNG }],
  });
  const mock = await startGreetingModel({
    tools: [GREETING_RULE, { match: HUNG, steps: [{ command: hanging(space.path("go")) }, { text: "Done." }] }],
  });
  // One at a time, in the order of the file.
  const flags = [
    "--dataset",
    "t.jsonl",
    ...makeTinyAgentFlags(mock),
    "--agent-parallel",
    "1",
    "--max-workers",
    "1",
    ...JSON_OUTPUT,
  ];
  const running = startAssay(space.dir, flags, { TMPDIR: space.dir });
  const rows = () => (space.runs()[0] === undefined ? "" : space.read(space.runs()[0] ?? "", "rows.jsonl"));
  await waitUntil(() => existsSync(space.path("go.hung")), "the agent that hangs");
  return { space, mock, running, rows };
}

/** Resumes the run and returns its rows. */
async function resumed({ space }: { space: TempProject }) {
  space.write("go", "");
  const finished = await startAssay(space.dir, ["--resume", "--output", "json"], { TMPDIR: space.dir }).finished;
  expect(finished.code).toBe(0);
  return parseReport(finished).rows;
}

describe("a run of agents that is stopped in the middle", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "by %s: nothing keeps running, nothing is left, and --resume keeps what was paid for",
    async (signal, code) => {
      const half = await halfway();
      half.running.child.kill(signal);
      const stopped = await half.running.finished;
      expect(stopped.code).toBe(code);
      expect(listProcessesIn(half.space)).toEqual([]);
      expect(readdirSync(half.space.dir).filter((name) => name.startsWith("assay-"))).toEqual([]);
      const finished = parseReport(stopped).rows.filter(({ outcome }) => outcome === "pass");
      expect(finished).toHaveLength(1);
      const [cut] = parseReport(stopped).rows.filter(({ outcome }) => outcome === "skipped");
      expect(cut).toMatchObject({ exampleId: "hung", partial: true });
      expect(cut?.costUsd).toBeGreaterThan(0);
      const requests = half.mock.counts.requests;
      const rows = await resumed(half);
      expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
      for (const { exampleId, costUsd } of finished)
        expect(rows.find((row) => row.exampleId === exampleId)?.costUsd).toBe(costUsd);
      expect(half.mock.counts.requests - requests).toBe(2);
    },
  );

  it("by SIGKILL: the agent and its children die with it, and --resume continues", async () => {
    const half = await halfway();
    half.running.child.kill("SIGKILL");
    await half.running.finished;
    await waitUntil(() => listProcessesIn(half.space).length === 0, "the end of the agent");
    const before = half.rows().trim().split("\n").filter(Boolean);
    expect(before).toHaveLength(1);
    const rows = await resumed(half);
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
    for (const line of before) {
      const { exampleId, costUsd } = JSON.parse(line) as { exampleId: string; costUsd: number };
      expect(rows.find((row) => row.exampleId === exampleId)?.costUsd).toBe(costUsd);
    }
  });
});

describe("a run of agents that is killed during grading", () => {
  it("restores the folder, and grades it without calling the model", async () => {
    const mock = await startGreetingModel();
    const space = new TempProject();
    const waits = `import { existsSync } from "node:fs";
      export default { name: "waits", fields: ["there"], async score() {
        while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
        return { there: 1 };
      } };`;
    space.write("waits.mjs", waits);
    space.write("t.jsonl", [GREET_EXAMPLE]);
    const evaluators = ["--evaluator", "graders", "--evaluator", "./waits.mjs"];
    const flags = ["--dataset", "t.jsonl", ...makeTinyAgentFlags(mock), ...evaluators, ...JSON_OUTPUT];
    const running = startAssay(space.dir, flags, { TMPDIR: space.dir });
    const stored = () => (space.runs()[0] === undefined ? "" : space.read(space.runs()[0] ?? "", "outputs.jsonl"));
    await expect.poll(stored).toMatch(/"kind":"output".*\n$/);
    running.child.kill("SIGKILL");
    await running.finished;
    const { requests } = mock.counts;
    expect(requests).toBe(2);
    const [row] = await resumed({ space });
    expect(row).toMatchObject({ outcome: "pass", cached: false });
    expect(row?.costUsd).toBeGreaterThan(0);
    expect(mock.counts.requests).toBe(requests);
  });
});

describe("budget", () => {
  /** Four turns of equal cost; the file exists after the first. */
  const SPENDING = {
    match: GREETING_RULE.match,
    steps: [
      ...["hello", "more", "most"].map((word) => ({ command: `echo ${word} > ${word}.txt`, outputTokens: 2000 })),
      { text: "Done." },
    ],
  };
  /** For gpt-5-mini: each turn costs two thirds of it, so the second exceeds it. */
  const CAP = "0.006";

  it("per trial stops the trial, and what it left is graded and shown", async () => {
    const mock = await startGreetingModel({ tools: [SPENDING] });
    const space = new TempProject({ "t.jsonl": [GREET_EXAMPLE] });
    const flags = [
      "--dataset",
      "t.jsonl",
      ...makeTinyAgentFlags(mock),
      "--trial-max-cost",
      CAP,
      "--trials",
      "2",
      ...JSON_OUTPUT,
    ];
    const { rows, summary } = parseReport(await startAssay(space.dir, flags, { TMPDIR: space.dir }).finished);
    for (const row of rows) {
      expect(row).toMatchObject({ outcome: "pass", errorCategory: "cost_killed", turns: 2 });
      expect(row.costKilledAt).toBeGreaterThan(0.006);
      expect(row.costUsd).toBeLessThan(0.012);
      expect(row.costUsd).toBeGreaterThanOrEqual(Number(row.costKilledAt));
    }
    expect(summary["tiny-agent"]).toMatchObject({ pass_rate: 1, efficiency: { cost_killed_count: 2 } });
    expect(listProcessesIn(space)).toEqual([]);
    const shown = await runAssay(space.dir, "show", "latest", "greet#1");
    expect(shown.stdout).toMatch(/outcome +pass \(cost_killed\)/);
    expect(shown.stdout).toContain("added     hello.txt");
  });

  it("per run starts no trial that might exceed it", async () => {
    const mock = await startGreetingModel({ tools: [SPENDING] });
    const tasks = [1, 2, 3, 4].map((id) => ({ ...GREET_EXAMPLE, id }));
    const space = new TempProject({ "t.jsonl": tasks });
    const limits = ["--max-cost", "0.02", "--trial-max-cost", CAP, "--agent-parallel", "1", "--max-workers", "1"];
    const finished = await runAssay(
      space.dir,
      "--dataset",
      "t.jsonl",
      ...makeTinyAgentFlags(mock),
      ...limits,
      ...JSON_OUTPUT,
    );
    const { rows } = parseReport(finished);
    const spent = rows.reduce((sum, { costUsd }) => sum + Number(costUsd ?? 0), 0);
    const outcomes = rows.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "pass").length).toBeGreaterThan(0);
    expect(outcomes).toContain("skipped");
    expect(spent).toBeLessThan(0.02);
    expect(mock.counts.requests).toBe(2 * outcomes.filter((outcome) => outcome === "pass").length);
  });
});
