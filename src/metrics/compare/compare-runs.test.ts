import { describe, expect, it } from "vitest";
import type { DatasetConfig, EvalConfig } from "../../core/result.js";
import { makeRow } from "../../core/row.js";
import { makeConfig } from "../../testing/make-run.js";
import { type ComparedRun, compareRuns, describeRunDifferences } from "./compare-runs.js";

const DATASET: DatasetConfig = {
  name: "questions",
  examples: 1,
  fingerprint: "1111",
  tags: ["questions"],
  primaryField: "em",
  evaluators: { exact: { fingerprint: "e1" } },
};

const CONFIG = makeConfig({ title: "questions", systems: ["x"], datasets: [DATASET], evaluators: ["exact"] });

function run(config: Partial<EvalConfig> = {}, scores: Readonly<Record<string, number>> = { em: 1 }): ComparedRun {
  const whole = { ...CONFIG, ...config };
  const rows = whole.systems.map((system) =>
    makeRow({ system, exampleId: 1, dataset: "questions", outcome: "pass", scores, primaryField: "em" }),
  );
  return { rows, config: whole, runDir: null };
}

describe("describeRunDifferences", () => {
  it("returns nothing for runs with the same setup", () => {
    expect(describeRunDifferences(CONFIG, { ...CONFIG, seed: 7, title: "again" })).toEqual([]);
  });

  it("describes differences that may explain the results", () => {
    const other = {
      ...CONFIG,
      threshold: 0.9,
      scoreField: "f1",
      tokenizer: "o200k_base",
      trials: 3,
      datasets: [{ ...DATASET, fingerprint: "2222", primaryField: "f1", evaluators: { exact: { fingerprint: "e2" } } }],
    };
    expect(describeRunDifferences(CONFIG, other)).toEqual([
      "the threshold differs: 0.7 in A, 0.9 in B; the pass rates use different rules",
      "the primary score differs: score in A, f1 in B; the scores are not comparable",
      "the tokenizer differs: cl100k_base in A, o200k_base in B; tokens are counted differently",
      "the number of trials differs: 1 in A, 3 in B",
      "the examples of questions differ between A and B: examples with the same id are paired even if their content differs",
      "the primary field of questions differs: em in A, f1 in B",
      "questions: the evaluator exact has different code or settings in B",
    ]);
  });

  it("matches datasets by name, and single ones by any name", () => {
    const changed = { ...DATASET, fingerprint: "2222" };
    const other = { ...DATASET, name: "more" };
    expect(
      describeRunDifferences({ ...CONFIG, datasets: [DATASET, other] }, { ...CONFIG, datasets: [other, changed] }),
    ).toHaveLength(1);
    expect(describeRunDifferences(CONFIG, { ...CONFIG, datasets: [{ ...changed, name: "renamed" }] })).toEqual([
      "B has no dataset questions: its own, renamed, has other examples, and examples with the same id are paired even if their content differs",
    ]);
    expect(describeRunDifferences(CONFIG, { ...CONFIG, datasets: [{ ...DATASET, name: "renamed" }] })).toEqual([]);
  });

  it("names the datasets that the other run lacks", () => {
    const other = { ...DATASET, name: "more" };
    const changed = { ...DATASET, fingerprint: "2222" };
    expect(
      describeRunDifferences({ ...CONFIG, datasets: [DATASET, other] }, { ...CONFIG, datasets: [changed] }),
    ).toEqual([
      "B has no dataset more: its trials in A have no counterpart",
      "the examples of questions differ between A and B: examples with the same id are paired even if their content differs",
    ]);
    expect(describeRunDifferences(CONFIG, { ...CONFIG, datasets: [other, DATASET] })).toEqual([
      "A has no dataset more: its trials in B have no counterpart",
    ]);
  });
});

describe("compareRuns", () => {
  it("compares systems with the same name", () => {
    const { comparisons, notes } = compareRuns(run({ systems: ["x", "y"] }), run({ systems: ["y", "x"] }));
    expect(comparisons.map(({ systemA, systemB, tasks }) => [systemA, systemB, tasks.paired])).toEqual([
      ["x", "x", 1],
      ["y", "y", 1],
    ]);
    expect(notes).toEqual([]);
  });

  it("names a system without rows", () => {
    const empty = { ...run(), rows: [] };
    const [only] = compareRuns(run(), empty).comparisons;
    expect(only).toMatchObject({ systemA: "x", systemB: "x", tasks: { paired: 0, aOnly: 1 } });
  });

  it("uses the score field of the runs, or the primary one if they differ", () => {
    const scores = { em: 1, f1: 0.5 };
    const mean = (a: ComparedRun, b: ComparedRun) =>
      compareRuns(a, b, { metrics: ["mean_score"] }).comparisons[0]?.metrics[0]?.a;
    expect(mean(run({ scoreField: "f1" }, scores), run({ scoreField: "f1" }, scores))).toBe(0.5);
    expect(mean(run({ scoreField: "f1" }, scores), run({}, scores))).toBe(1);
  });

  it("rejects comparing a run with itself", () => {
    const one = run();
    expect(() => compareRuns(one, one)).toThrow(/same run/);
  });
});
