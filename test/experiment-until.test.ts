import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ExperimentReport } from "../src/report/experiment-figures.js";
import { runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const CASES = 30;

/** Fails every test case unless told to be fancy; a third of them also then. */
const AGENT = `const number = Number(/\\d+$/.exec(process.argv[2])[0]);
const isFancy = process.env.STYLE === "fancy" && number % 6 !== 0;
console.log(isFancy || number % 5 === 0 ? "hello" : "no");
`;

const EXPERIMENT = `name: style
eval: eval.yaml
baseline: plain
vary: [/environment/env/STYLE]
variants:
  fancy: { /environment/env/STYLE: fancy }
  same: { /environment/env/STYLE: same }
  plain: {}
`;

function createExperiment(): TempProject {
  const stimuli = Array.from(
    { length: CASES },
    (_, i) =>
      `  - { name: case-${i}, prompt: say ${i}, graders: [{ type: output-contains, config: { substring: hello } }] }\n`,
  );
  const space = new TempProject({ "agent.mjs": AGENT, "experiment.yaml": EXPERIMENT });
  writeFileSync(
    space.path("eval.yaml"),
    `name: greeting
defaults: { runs: 1, timeout: 60s, executor: "node ${space.path("agent.mjs")} {prompt}" }
environment: { env: { STYLE: plain } }
stimuli:
${stimuli.join("")}`,
  );
  return space;
}

const experiment = (space: TempProject, ...flags: string[]) =>
  runAssay(space.dir, "experiment", "run", "experiment.yaml", "--trust", "--quiet", ...flags);

const readReport = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as ExperimentReport;

function findLift({ lifts }: ExperimentReport, name: string) {
  const lift = lifts.find(({ variant }) => variant === name);
  if (lift === undefined) throw new Error(`no variant ${name}`);
  return lift;
}

describe("assay experiment run --until", () => {
  it("stops each variant when it is decided, and has no fixed-sample test", async () => {
    const space = createExperiment();
    const first = await experiment(space, "--until", "decided", "--output", "json");
    // The variant that is like the baseline is undecided after all test cases.
    expect(first.code, first.stderr).toBe(3);
    const report = readReport(first);
    const { sequential } = report;
    expect(sequential).toMatchObject({
      question: "decided",
      isDecided: false,
      tasks: { planned: CASES },
      groups: null,
    });
    expect(sequential?.findings).toMatchObject([
      { system: "fancy", baseline: "plain", answer: "better", isFinal: false },
      { system: "same", baseline: "plain", answer: null, n: CASES },
    ]);
    const [fancy] = sequential?.findings ?? [];
    expect(fancy?.decidedAfter).toBeLessThan(CASES - 5);
    const lift = findLift(report, "fancy");
    expect(lift).toMatchObject({ lift: "better", detectable: null, costUsd: { low: null, p: null } });
    expect(lift.passRate).toMatchObject({ p: null, adjustedP: null, low: fancy?.low, high: fancy?.high, n: fancy?.n });
    expect(lift.passRate.low).toBeGreaterThanOrEqual(0);
    expect(findLift(report, "same")).toMatchObject({ lift: "inconclusive", passRate: { difference: 0, p: null } });
    for (const variant of report.variants) {
      expect(variant).toMatchObject({ coverage: 1, meanCostUsd: { low: null }, meanSeconds: { low: null } });
      expect(variant.curves.every(({ passAtK }) => passAtK.low === null)).toBe(true);
    }
    // What was not needed is not missing.
    const arm = sequential?.arms.find(({ system }) => system === "fancy");
    expect(arm?.notRun).toBeGreaterThan(0);
    expect(report.missing).toEqual([]);

    const [run = ""] = space.runs();
    const again = await runAssay(space.dir, "experiment", "report", run, "--output", "json");
    expect(again.code).toBe(3);
    expect(readReport(again)).toMatchObject({ sequential, lifts: report.lifts, missing: [] });
    const text = await runAssay(space.dir, "experiment", "report", run, "--output", "markdown");
    expect(text.stdout).toMatch(/fancy is better than plain by .*; decided after \d+ of 30 tasks\./);
    expect(text.stdout).toMatch(/\| fancy +\| better +\|/);
    expect(text.stdout).toContain("pass rate [any time, 97.5 %]");
    expect(text.stdout).not.toMatch(/\| +p \||Holm|minimum detectable|exact test/);
    const table = await runAssay(space.dir, "report", run);
    expect(table.stdout).toMatch(/fancy is better than plain/);

    // A kill leaves some rows; the rest gives the same verdict, also without the question on the command line.
    const path = space.path(run, "rows.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, `${lines.slice(0, 25).join("\n")}\n`);
    const resumed = await experiment(space, "--resume", run, "--output", "json");
    expect(readReport(resumed).sequential?.findings).toEqual(sequential?.findings);

    const other = await experiment(space, "--resume", run, "--until", "best");
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/cannot be resumed .*its guarantee would be lost/);

    const whole = await experiment(space, "--resume", run, "--until", "none", "--output", "json");
    const after = readReport(whole);
    expect(after.sequential?.findings).toEqual(sequential?.findings);
    expect(after.variants.map(({ trials }) => trials.pass + trials.fail)).toEqual([CASES, CASES, CASES]);
  }, 300_000);

  it.each<[string, string[], RegExp]>([
    ["shards", ["--until", "decided", "--shard", "1/2"], /cannot be combined with --shard/],
    ["an unknown question", ["--until", "soon"], /Unknown question --until soon/],
    ["a detail without a question", ["--margin", "0.1"], /--margin needs --until/],
    ["a margin of more than everything", ["--until", "decided", "--margin", "2"], /--margin must be between 0 and 1/],
    ["a wrong number of variants", ["--until", "best of 2"], /names 2 systems, but the run has 3: plain, fancy, same/],
    ["the precision of one", ["--until", "precision<=0.1"], /precision is for one system/],
  ])("rejects %s before anything runs", async (_, flags, message) => {
    const space = createExperiment();
    const { code, stderr } = await experiment(space, ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(space.runs()).toEqual([]);
  });
});
