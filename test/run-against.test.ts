import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SequentialReport } from "../src/core/index.js";
import { createRandom, hashSeed, permutation } from "../src/stats/index.js";
import { runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const TASKS = 120;
const EXAMPLES = Array.from({ length: TASKS }, (_, id) => ({ id: `q${id}`, question: `${id}`, answer: "yes" }));

/** Passes the tasks whose number is at least `from`, modulo ten, and counts its calls. */
const createSystem = (name: string, from: number) => `import { appendFileSync } from "node:fs";
export default {
  name: "${name}",
  process: ({ id }) => {
    appendFileSync("calls.txt", "${name}\\n");
    return { response: Number(id.slice(1)) % 10 >= ${from} ? "yes" : "no", costUsd: 0.01 };
  },
};`;

const FLAGS = [
  "--dataset",
  "q.jsonl",
  "--score-field",
  "exact_match",
  "--evaluator",
  "answer_quality",
  "--quiet",
  "--trust",
];

interface Report {
  config: { systems: string[] };
  sequential: SequentialReport;
  summary: Record<string, object>;
  notes: string[];
}

async function createProject(): Promise<TempProject> {
  const space = new TempProject({
    "q.jsonl": EXAMPLES,
    "old.mjs": createSystem("old", 5),
    "better.mjs": createSystem("better", 1),
    "same.mjs": createSystem("same", 5),
    "calls.txt": "",
  });
  const { code, stderr } = await run(space, "--system", "./old.mjs", "--tag", "main");
  expect(code, stderr).toBe(0);
  writeFileSync(space.path("calls.txt"), "");
  return space;
}

const run = (space: TempProject, ...flags: string[]) => runAssay(space.dir, "run", ...FLAGS, ...flags);
const findRun = (space: TempProject, system: string) => space.runs().find((dir) => dir.endsWith(`-q-${system}`)) ?? "";
const countCalls = (space: TempProject) => space.read("calls.txt").split("\n").length - 1;
const readReport = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Report;

const UNTIL = ["--until", "decided", "--against", "main"];

describe("assay run --until decided --against RUN", () => {
  it("runs the new system only, until it is decided against the stored rows", async () => {
    const space = await createProject();
    const first = await run(space, "--system", "./better.mjs", ...UNTIL, "--output", "json");
    expect(first.code, first.stderr).toBe(0);
    const report = readReport(first);
    expect(report.config.systems).toEqual(["better"]);
    const { sequential } = report;
    expect(sequential).toMatchObject({ isDecided: true, against: { system: "old" }, tasks: { planned: TASKS } });
    const [finding] = sequential.findings;
    expect(finding).toMatchObject({ system: "better", answer: "better", baseline: expect.stringMatching(/^old of /) });
    expect(sequential.arms.map(({ system }) => system)).toEqual(["better"]);
    const seen = permutation(TASKS, createRandom(hashSeed(0, "tasks"))).slice(0, finding?.decidedAfter ?? 0);
    const passes = (from: number) => seen.filter((id) => id % 10 >= from).length / seen.length;
    expect(finding?.baselineValue).toBeCloseTo(passes(5), 12);
    expect(finding?.value).toBeCloseTo(passes(1) - passes(5), 12);
    const calls = countCalls(space);
    expect(calls).toBeLessThan(TASKS / 2);
    expect(sequential.arms[0]).toMatchObject({ trials: calls, notRun: TASKS - calls });
    expect(sequential.notSpentUsd).toBeCloseTo(0.01 * (TASKS - calls), 9);

    // The verdict needs no other run: it is the same after that is gone, when it is resumed, and after the end.
    rmSync(space.path(findRun(space, "old")), { recursive: true });
    const own = findRun(space, "better");
    const text = await runAssay(space.dir, "report", own);
    expect(text.stdout).toMatch(/better is better than old of \S+ by .*; decided after \d+ of 120 tasks/);
    const path = space.path(own, "rows.jsonl");
    writeFileSync(path, `${readFileSync(path, "utf8").split("\n").slice(0, 7).join("\n")}\n`);
    const resumed = readReport(await runAssay(space.dir, "run", "--resume", own, "--output", "json", "--trust"));
    expect(resumed.sequential.findings).toEqual(sequential.findings);
    const whole = await runAssay(space.dir, "run", "--resume", own, "--until", "none", "--output", "json", "--trust");
    expect(readReport(whole).sequential.findings).toEqual(sequential.findings);
    expect(readReport(whole).sequential.arms[0]?.trials).toBe(TASKS);
    const other = await runAssay(space.dir, "run", "--resume", own, "--against", "main", "--trust");
    expect(other.stderr).toMatch(/--resume keeps the stored run/);
  }, 180_000);

  it("takes a margin, and pairs by the tasks that both have", async () => {
    const space = await createProject();
    const few = ["--system", "./same.mjs", ...UNTIL, "--margin", "0.1", "--output", "json"];
    const { code, stdout, stderr } = await run(space, ...few);
    expect(code, stderr).toBe(0);
    expect(readReport({ stdout }).sequential.findings).toMatchObject([{ answer: "non-inferior", value: 0 }]);
    expect(countCalls(space)).toBeLessThan(TASKS);

    const more = [...EXAMPLES.slice(0, 30), ...EXAMPLES.slice(0, 10).map((each) => ({ ...each, id: `n${each.id}` }))];
    space.write("q.jsonl", more);
    const part = await run(space, ...few);
    const { sequential, notes } = readReport(part);
    expect(notes.join("\n")).toMatch(/tasks without a score in \S+, which decide nothing: 10/);
    expect(notes.join("\n")).toMatch(/the examples of .* differ/);
    expect(sequential.findings[0]?.n).toBeLessThanOrEqual(30);
    space.write("q.jsonl", [{ id: "other", question: "?", answer: "yes" }]);
    const none = await run(space, ...few);
    expect(none.stderr).toMatch(/has no scored trial of old in any task of this run.*q0.*other/);
    expect(none.code).toBe(2);
  }, 180_000);

  it("rejects what cannot be compared, and stores nothing", async () => {
    const space = await createProject();
    const better = ["--system", "./better.mjs"];
    const early = await run(space, ...better, "--until", "pass_rate>=0.3", "--tag", "early");
    expect(early.code, early.stderr).toBe(0);
    const both = await run(space, ...better, "--system", "./same.mjs", "--tag", "both");
    expect(both.code, both.stderr).toBe(0);
    const before = space.runs();
    for (const [flags, message] of [
      [[...better, "--against", "main"], /--against needs --until/],
      [
        [...better, "--until", "best", "--against", "main"],
        /--against .* is for --until decided, not for --until best/,
      ],
      [[...better, ...UNTIL.slice(0, 3), "nowhere"], /nowhere/],
      [[...better, ...UNTIL.slice(0, 3), "early"], /stopped early.*--until none/s],
      [[...better, ...UNTIL, "--against-system", "odl"], /has no system with this name\. Did you mean "old"\?/],
      [[...better, "--against-system", "old"], /--against-system names a system of a stored run\. Add --against/],
      [["--system", "./old.mjs", ...UNTIL.slice(0, 3), "both"], /has several systems: better, same/],
    ] as const) {
      const { code, stderr } = await run(space, ...flags);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
    expect(space.runs()).toEqual(before);
    const named = await run(space, ...better, ...UNTIL.slice(0, 3), "both", "--output", "json");
    expect(readReport(named).sequential.against?.system).toBe("better");
  }, 180_000);
});

describe("assay ci --until decided", () => {
  const ci = (space: TempProject, flags: string[], system: string) =>
    runAssay(space.dir, "ci", ...flags, "--", "run", ...FLAGS, "--system", system);
  const DECIDE = ["--until", "decided", "--margin", "0.1"];

  it("stops the run when the comparison with the baseline is decided", async () => {
    const space = await createProject();
    space.write("worse.mjs", createSystem("worse", 9));
    const same = await ci(space, ["--baseline", "main", ...DECIDE], "./same.mjs");
    expect(same.code, same.stderr).toBe(0);
    expect(same.stdout).toMatch(/same is non-inferior to old of \S+ with a margin of 0\.1/);
    expect(same.stdout).not.toContain("p adjusted");
    const calls = countCalls(space);
    expect(calls).toBeLessThan(TASKS);
    const worse = await ci(space, ["--baseline", "main", ...DECIDE], "./worse.mjs");
    expect(worse.code, worse.stderr).toBe(1);
    expect(countCalls(space) - calls).toBeLessThan(TASKS / 2);
    // Such a run has only a part of the tasks, so it is no baseline for others.
    const saved = await runAssay(space.dir, "baseline", "save", "kept", findRun(space, "worse"));
    expect(saved.stderr).toMatch(/stopped early/);
    expect(saved.code).toBe(2);
  }, 180_000);

  it("runs every task if there is no baseline yet", async () => {
    const space = await createProject();
    const first = await ci(space, ["--baseline", "nowhere", ...DECIDE], "./same.mjs");
    expect(first.stderr).toContain("There is no baseline nowhere yet");
    expect(first.code, first.stderr).toBe(0);
    expect(countCalls(space)).toBe(TASKS);
  }, 60_000);

  it.each<[string[], RegExp]>([
    [["--baseline", "main", "--until", "decided"], /--until decided needs the loss of quality that you accept/],
    [["--baseline", "main", "--until", "best", "--margin", "0.1"], /takes --until decided, got --until best/],
    [["--baseline", "main", "--margin", "0.1"], /--margin needs --until decided/],
    [DECIDE, /--until needs a run to compare with\. Add --baseline/],
    [["--baseline", "main", ...DECIDE, "--max-drop", "0.1"], /takes no --max-drop/],
  ])("rejects %j", async (flags, message) => {
    const { code, stderr } = await runAssay(new TempProject().dir, "ci", ...flags, "--", "run");
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
