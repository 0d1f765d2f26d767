import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { RunFolderError, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { type CapturedOutput, captureOutput } from "../testing/capture-output.js";
import { TempProject } from "../testing/temp-project.js";
import { addCompareCommand } from "./commands/compare.js";
import { type CompareRequest, executeCompare } from "./compare.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0 }),
};

const EXAMPLES: Example[] = Array.from({ length: 12 }, (_, i) => ({ id: i, question: `${i}?`, answer: `${i}` }));

/** Knows the first answers, and fails on one example if set. */
function system(knows: number, { name = "model", silentOn }: { name?: string; silentOn?: number } = {}): System {
  return {
    name,
    process: ({ id, answer = "" }) => {
      if (id === silentOn) throw new Error("the cable is out");
      return { response: Number(id) < knows ? answer : "no idea" };
    },
  };
}

/** Stores real runs one after the other; returns their names. */
async function stored(...runs: Partial<EvaluateOptions>[]): Promise<{ runsDir: string; names: string[] }> {
  const space = new TempProject();
  const runsDir = space.path("runs");
  for (const run of runs) {
    await evaluate({ systems: [system(12)], dataset: EXAMPLES, evaluators: [EXACT], runsDir, ...run });
  }
  return { runsDir, names: space.runs("runs").map((dir) => dir.slice("runs/".length)) };
}

function compare(runsDir: string, request: Partial<CompareRequest>): Promise<CapturedOutput> {
  return captureOutput(() => executeCompare({ a: "latest", seed: 0, output: "table", runsDir, ...request }));
}

describe("assay compare", () => {
  it("compares two runs by id and by 'latest', and fails only with --fail-on-regression", async () => {
    const { runsDir, names } = await stored({ systems: [system(12)] }, { systems: [system(2)] });
    const [before = ""] = names;
    const plain = await compare(runsDir, { a: before, b: "latest" });
    expect(plain.code).toBe(0);
    expect(plain.stdout).toMatch(/\| pass_rate +\| +1 +\| +0\.167 +\| +-0\.833 .*\| worse +\| +12 \|/);
    expect(plain.stdout).toContain("Passed in A, fails in B: 10");
    const gate = await compare(runsDir, { a: before, b: "latest", failOnRegression: true });
    expect(gate.code).toBe(1);
    expect(gate.stderr).toContain("model: pass_rate is worse: 1 → 0.167, -0.833");
    const back = await compare(runsDir, { a: "latest", b: before, failOnRegression: true });
    expect(back.code).toBe(0);
  });

  it("tolerates losses below --min-difference", async () => {
    const { runsDir, names } = await stored({ systems: [system(12)] }, { systems: [system(2)] });
    const [a = "", b = ""] = names;
    expect((await compare(runsDir, { a, b, failOnRegression: true, minDifference: 0.9 })).code).toBe(0);
    expect((await compare(runsDir, { a, b, failOnRegression: true, minDifference: 0.5 })).code).toBe(1);
  });

  it("reports when a design could not have detected a regression", async () => {
    const dataset = EXAMPLES.slice(0, 4);
    const { runsDir, names } = await stored({ dataset }, { dataset, systems: [system(0)] });
    const [a = "", b = ""] = names;
    const { code, stderr } = await compare(runsDir, { a, b, failOnRegression: true });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^WARNING: --fail-on-regression CHECKED NOTHING for model: with 4 paired tasks, no loss/);
    const comment = await compare(runsDir, { a, b, failOnRegression: true, output: "markdown" });
    expect(comment.stdout).toMatch(
      /nothing could be checked\n\n.*\n\n- ⚠️ WARNING: --fail-on-regression CHECKED NOTHING/,
    );
    const ungated = await compare(runsDir, { a, b, output: "markdown" });
    expect(ungated.stdout + ungated.stderr).not.toContain("WARNING");
  });

  it("fails by the plain difference with --max-drop, however few tasks there are", async () => {
    const dataset = EXAMPLES.slice(0, 2);
    const { runsDir, names } = await stored({ dataset, trials: 3 }, { dataset, trials: 3, systems: [system(0)] });
    const [a = "", b = ""] = names;
    const { code, stderr } = await compare(runsDir, { a, b, maxDrop: 0.05 });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        "model: pass_rate dropped by more than 0.05: 1 → 0, -1\n",
        "model: mean_score dropped by more than 0.05: 1 → 0, -1\n",
      ].join(""),
    });
    const comment = await compare(runsDir, { a, b, maxDrop: 0.05, metric: ["pass_rate"], output: "markdown" });
    expect(comment.stdout).toMatch(
      /### ❌ .*: 1 of 1 gate failed\n\n.*\n\n- ❌ model: pass_rate dropped by more than 0\.05: 1 → 0, -1\n/,
    );
    expect((await compare(runsDir, { a: b, b: a, maxDrop: 0 })).code).toBe(0);
    expect((await compare(runsDir, { a, b, maxDrop: 1 })).code).toBe(0);
    const both = await compare(runsDir, { a: b, b: a, maxDrop: 0, failOnRegression: true });
    expect(both.code).toBe(0);
    expect(both.stderr).toContain("CHECKED NOTHING");
  });

  it("compares two systems of one run, and lists them if none is named", async () => {
    const systems = [system(12, { name: "large" }), system(3, { name: "small" })];
    const { runsDir } = await stored({ systems });
    const { stdout } = await compare(runsDir, { systemA: "large", systemB: "small" });
    expect(stdout).toContain("## A: large, B: small");
    await expect(compare(runsDir, {})).rejects.toThrow(/same run\. .*Systems: large, small\.$/);
  });

  it("pairs what both runs scored, and reports the rest and how the runs differ", async () => {
    const { runsDir, names } = await stored(
      { dataset: EXAMPLES.slice(0, 10) },
      { systems: [system(12, { silentOn: 3 })], threshold: 0.9 },
    );
    const [a = "", b = ""] = names;
    const { stdout, code } = await compare(runsDir, { a, b });
    expect(code).toBe(0);
    expect(stdout).toContain("9 tasks paired (9 trials of A, 9 of B), 1 only in A, 2 only in B");
    expect(stdout).toContain("- 3: error in B: the cable is out");
    expect(stdout).toContain("- 10: not in A");
    expect(stdout).toContain("the threshold differs: 0.7 in A, 0.9 in B");
    expect(stdout).toContain("the examples of the dataset differ between A and B");
  });

  it("writes complete JSON, and Markdown with folded lists", async () => {
    const { runsDir, names } = await stored({ trials: 2 }, { systems: [system(1)], trials: 2 });
    const [a = "", b = ""] = names;
    const { stdout } = await compare(runsDir, { a, b, output: "json", metric: ["pass_rate", "em"] });
    const report = JSON.parse(stdout);
    expect(report.schema).toBe("assay.comparison/1");
    expect(report.comparisons[0].flips.toFail).toHaveLength(11);
    expect(report.comparisons[0]).toMatchObject({ lift: "worse", trials: { a: 24, b: 24 } });
    expect(report.comparisons[0].metrics.map(({ metric }: { metric: string }) => metric)).toEqual([
      "pass_rate",
      "field:em",
    ]);
    expect((await compare(runsDir, { a, b, output: "markdown" })).stdout).toContain("<details>");
  });

  it("exits 3 if nothing is paired, with or without a gate", async () => {
    const { runsDir, names } = await stored({ dataset: EXAMPLES.slice(0, 2) }, { dataset: EXAMPLES.slice(2, 4) });
    const [a = "", b = ""] = names;
    for (const failOnRegression of [true, false]) {
      const { code, stderr } = await compare(runsDir, { a, b, failOnRegression });
      expect(code).toBe(3);
      expect(stderr).toContain("no task was scored in both runs");
    }
  });

  it("rejects invalid requests", async () => {
    const { runsDir, names } = await stored({}, {});
    const [a = "", b = ""] = names;
    const refused = (request: Partial<CompareRequest>) => expect(compare(runsDir, { a, b, ...request })).rejects;
    await refused({ output: "jsno" }).toThrow(/Did you mean "json"/);
    await refused({ metric: ["latency"] }).toThrow(UsageError);
    await refused({ metric: ["latency_mean"], failOnRegression: true }).toThrow(/Add one of them to --metric/);
    await refused({ minDifference: 0.1 }).toThrow(/--fail-on-regression/);
    await refused({ minDifference: 5, failOnRegression: true }).toThrow(/not a percentage/);
    await refused({ metric: ["latency_mean"], maxDrop: 0.1 }).toThrow(
      /--max-drop checks .*Add one of them to --metric/,
    );
    for (const maxDrop of [-0.1, 5, Number.NaN])
      await refused({ maxDrop }).toThrow(/--max-drop must be between 0 and 1/);
    await refused({ level: 95 }).toThrow(/between 0 and 1/);
    await refused({ b: "nowhere" }).toThrow(RunFolderError);
    await refused({ b: a }).toThrow(/same run/);
  });

  it("declares its arguments and flags", async () => {
    const { runsDir, names } = await stored({}, { systems: [system(2)] });
    const [a = "", b = ""] = names;
    let code = -1;
    const program = new Command().exitOverride();
    addCompareCommand(program, (exitCode) => {
      code = exitCode;
    });
    const argv = [
      "compare",
      a,
      b,
      "--metric",
      "pass_rate,em",
      "--fail-on-regression",
      "--level",
      "0.9",
      "--runs-dir",
      runsDir,
    ];
    const { stdout } = await captureOutput(async () => {
      await program.parseAsync(argv, { from: "user" });
      return code;
    });
    expect(code).toBe(1);
    expect(stdout).toContain("B - A [90 %]");
    expect(stdout).not.toContain("latency_mean");
  });

  it("says what the decision cost, and what stopping early or a larger run would cost", async () => {
    const costly = (knows: number) => ({
      ...system(knows),
      process: (example: Example) => ({
        response: Number(example.id) < knows ? (example.answer ?? "") : "",
        costUsd: 0.5,
      }),
    });
    const dataset = Array.from({ length: 60 }, (_, i) => ({ id: i, question: `${i}?`, answer: `${i}` }));
    const { runsDir, names } = await stored(...[20, 50, 22].map((knows) => ({ systems: [costly(knows)], dataset })));
    const [a = "", b = "", c = ""] = names;
    const compareTo = (other: string, output: string) =>
      captureOutput(() => executeCompare({ a, b: other, seed: 0, output, runsDir }));
    const decided = JSON.parse((await compareTo(b, "json")).stdout);
    expect(decided.cost).toMatchObject({ spentUsd: 60, asked: 1, decided: 1, usdPerDecision: 60, fixedUsd: 60 });
    expect(decided.cost.earlyUsd).toBeLessThan(40);
    expect((await compareTo(b, "markdown")).stdout).toMatch(
      /cost of the decision: \$60\.00, with a run of fixed size; stopped when decided \(--until decided\), it would have cost about \$\d/,
    );
    expect((await compareTo(c, "table")).stdout.replace(/\s+/g, " ")).toMatch(
      /\$60\.00 spent, and nothing decided; a run of fixed size that decides would cost about \$\d/,
    );
  });

  it("judges non-inferiority with --margin", async () => {
    const { runsDir, names } = await stored({}, { systems: [system(11)] }, { systems: [system(2)] });
    const [before = "", after = "", worse = ""] = names;
    const judge = (b: string, margin: number) =>
      captureOutput(() => executeCompare({ a: before, b, margin, seed: 0, output: "table", runsDir }));
    expect(await judge(after, 0.4)).toMatchObject({ code: 0, stderr: expect.stringContaining("model: non-inferior") });
    expect(await judge(after, 0.05)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/undecided: about \d+ more/),
    });
    expect(await judge(worse, 0.05)).toMatchObject({ code: 1, stderr: expect.stringContaining("model: inferior") });
    await expect(judge(after, 5)).rejects.toThrow("--margin must be between 0 and 1");
  });
});
