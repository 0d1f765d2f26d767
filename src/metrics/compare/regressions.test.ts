import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../../core/row.js";
import { compareRows } from "./compare-rows.js";
import { adjustTogether, findMetricComparison } from "./comparison.js";
import { computeMinTasks, findRegressions, findRegressionsTogether } from "./regressions.js";

function rows(tasks: number, passes: number): EvalRow[] {
  return Array.from({ length: tasks }, (_, i) =>
    makeRow({ system: "s", exampleId: i, outcome: i < passes ? "pass" : "fail", latency: i % 7 }),
  );
}

const names = (metrics: readonly { metric: string }[]) => metrics.map(({ metric }) => metric);
const passRates = (tasks: number, [a, b]: readonly [number, number]) =>
  compareRows(rows(tasks, a), rows(tasks, b), { metrics: ["pass_rate"] });

describe("findRegressions", () => {
  it("finds significant losses", () => {
    const { worse, unclear, blind } = findRegressions(passRates(40, [30, 15]));
    expect([names(worse), names(unclear), names(blind)]).toEqual([["pass_rate"], [], []]);
  });

  it("ignores improvements", () => {
    expect(findRegressions(passRates(40, [15, 30]))).toEqual({ worse: [], unclear: [], blind: [], isFutile: false });
  });

  it("ignores losses that are not significant or too small", () => {
    const slight = findRegressions(passRates(40, [30, 28]));
    expect([names(slight.worse), names(slight.unclear)]).toEqual([[], ["pass_rate"]]);
    const large = passRates(40, [30, 15]);
    expect(names(findRegressions(large, { minDifference: 0.375 }).worse)).toEqual(["pass_rate"]);
    expect(names(findRegressions(large, { minDifference: 0.38 }).worse)).toEqual([]);
  });

  it("reports a design that could not detect a regression", () => {
    expect(names(findRegressions(passRates(4, [4, 0])).blind)).toEqual(["pass_rate"]);
    expect(names(findRegressions(passRates(40, [30, 28]), { minDifference: 0.01 }).blind)).toEqual(["pass_rate"]);
    expect(names(findRegressions(passRates(40, [30, 28]), { minDifference: 0.2 }).blind)).toEqual([]);
  });

  it("accounts for the number of hypotheses", () => {
    const alone = passRates(6, [6, 3]);
    expect(findRegressions(alone).blind).toEqual([]);
    const many = Array.from({ length: 2 }, () => compareRows(rows(6, 6), rows(6, 3), { metrics: ["pass_rate"] }));
    const [first] = findRegressionsTogether(many);
    expect(names(first?.blind ?? [])).toEqual(["pass_rate"]);
    expect(first?.isFutile).toBe(true);
  });

  it("corrects over quality only", () => {
    const side = (passes: number, slow: number) =>
      Array.from({ length: 6 }, (_, i) =>
        makeRow({ system: "s", exampleId: i, outcome: i < passes ? "pass" : "fail", latency: 1 + ((i * slow) % 5) }),
      );
    const both = compareRows(side(6, 1), side(0, 3), { metrics: ["pass_rate", "mean_score", "latency_mean"] });
    // Six of six lost: 2 of 2^6, doubled to 0.0625 by the second hypothesis.
    expect(findMetricComparison(both, "pass_rate")).toMatchObject({ change: "unclear", hypotheses: 2 });
    const { worse, isFutile } = findRegressions(both);
    expect(worse[0]).toMatchObject({ metric: "pass_rate", adjustedP: expect.closeTo(2 / 64, 12), hypotheses: 1 });
    expect(isFutile).toBe(false);
  });

  it("computes from how many tasks on a difference can be significant", () => {
    for (const [level, hypotheses] of [
      [0.95, 0],
      [0.95, 2],
      [0.99, 1],
      [0.9, 3],
    ] as const) {
      const n = computeMinTasks(level, hypotheses) ?? 0;
      const least = (tasks: number) => 2 ** (1 - tasks) * Math.max(1, hypotheses);
      expect([least(n) < 1 - level, least(n - 1) >= 1 - level]).toEqual([true, true]);
    }
    expect(computeMinTasks(0.95, 1)).toBe(6);
    expect(computeMinTasks(0.9999999, 1)).toBeNull();
  });
});

describe("adjustTogether", () => {
  it("corrects over all comparisons, or over selected metrics", () => {
    const one = compareRows(rows(40, 30), rows(40, 22), { metrics: ["pass_rate", "latency_mean"] });
    const p = findMetricComparison(one, "pass_rate")?.p ?? 0;
    expect(findMetricComparison(one, "pass_rate")?.adjustedP).toBe(2 * p);
    const three = adjustTogether([one, one, one], ({ kind }) => kind === "quality");
    for (const comparison of three) {
      expect(findMetricComparison(comparison, "pass_rate")).toMatchObject({
        adjustedP: 3 * p,
        hypotheses: 3,
        change: "worse",
      });
      expect(findMetricComparison(comparison, "latency_mean")).toMatchObject({ adjustedP: null, change: "same" });
    }
    expect(findMetricComparison(adjustTogether([one, one, one])[0] ?? one, "pass_rate")?.hypotheses).toBe(6);
  });

  it("does not treat 0.05 as less than 0.05", () => {
    const one = compareRows(rows(40, 30), rows(40, 22), { metrics: ["pass_rate"] });
    const even = { ...one, metrics: one.metrics.map((metric) => ({ ...metric, p: 0.05 })) };
    expect(adjustTogether([even])[0]?.metrics[0]?.change).toBe("unclear");
  });
});
