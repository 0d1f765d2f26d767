import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { type EvalRow, makeRow, type RowInit } from "../../core/row.js";
import { holm, mcnemarExact, pairedDifference } from "../../stats/index.js";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { compareRows } from "./compare-rows.js";
import { findMetricComparison, type MetricComparison, type PairedComparison } from "./comparison.js";

function row(fields: Partial<RowInit> & { score?: number }): EvalRow {
  const { score = 1, ...known } = fields;
  const outcome = known.outcome ?? (score >= 0.7 ? "pass" : "fail");
  const scores = outcome === "pass" || outcome === "fail" ? { em: score } : {};
  return makeRow({ system: "s", exampleId: 1, dataset: "d", scores, primaryField: "em", ...known, outcome });
}

/** One task per entry, with its trials in order. */
function tasks(scores: readonly (number | readonly number[])[], fields: Partial<RowInit> = {}): EvalRow[] {
  return scores.flatMap((trials, exampleId) =>
    [trials].flat().map((score, trial) => row({ exampleId, trial, score, ...fields })),
  );
}

function metric(comparison: PairedComparison, name: string): MetricComparison {
  const found = findMetricComparison(comparison, name);
  if (found === undefined) throw new Error(`${name} was not compared`);
  return found;
}

const A = [1, 1, 0, 1, 0, 1, 1, 0];
const B = [1, 0, 0, 1, 0, 0, 1, 1];

describe("reference values", () => {
  it("match the paired difference, its standard error and McNemar's p", () => {
    const found = metric(compareRows(tasks(B), tasks(A)), "pass_rate");
    expect(found).toMatchObject({ n: 8, a: 0.5, b: 0.625, test: "mcnemar", p: 1, change: "unclear" });
    expect(found.difference).toBeCloseTo(0.125, 12);
    expect(found.se).toBeCloseTo(0.226582, 6);
    expect((found.difference ?? 0) / (found.se ?? 1)).toBeCloseTo(0.551677, 6);
    expect(found.low).toBeCloseTo(0.125 - 2.364624 * 0.226582, 5);
    expect(found.high).toBeCloseTo(0.125 + 2.364624 * 0.226582, 5);
  });

  it("give p = 0.125 for one task that got worse and six that got better", () => {
    const found = metric(compareRows(tasks([1, 0, 0, 0, 0, 0, 0, 1]), tasks([0, 1, 1, 1, 1, 1, 1, 1])), "pass_rate");
    expect(found.p).toBeCloseTo(0.125, 12);
  });

  it("treat groups of tasks as independent units", () => {
    const groups = ["x", "x", "x", "y", "y", "z", "z", "z"];
    const values = [1, 1, 1, 0, 0, 1, 0, 1];
    const inGroups = (scores: readonly number[]) =>
      tasks(scores).map((one, i) => makeRow({ ...one, group: groups[i] ?? null }));
    const found = metric(compareRows(inGroups(values.map(() => 0)), inGroups(values)), "pass_rate");
    expect(found).toMatchObject({ groups: 3, n: 8, difference: 0.625, test: "sign-flip" });
    expect(found.se).toBeCloseTo(0.258167, 6);
  });
});

describe("task as the unit", () => {
  it("averages trials first, so that tasks with more trials have no more weight", () => {
    const found = metric(compareRows(tasks([[0, 0, 0, 0], [1]]), tasks([[1], [1, 1]])), "pass_rate");
    expect(found).toMatchObject({ n: 2, a: 0.5, b: 1, difference: 0.5, test: "sign-flip", p: 1 });
  });

  it("enumerates sign assignments up to 20 tasks and samples above, deterministically for a seed", () => {
    const half = (n: number) => Array.from({ length: n }, (_, i) => [i % 3 === 0 ? 1 : 0, 1]);
    const none = (n: number) => Array.from({ length: n }, (_, i) => [i % 2, 0]);
    expect(metric(compareRows(tasks(none(20)), tasks(half(20))), "pass_rate").test).toBe("sign-flip");
    const drawn = (seed: number) => metric(compareRows(tasks(none(60)), tasks(half(60)), { seed }), "pass_rate");
    expect(drawn(1)).toMatchObject({ test: "sign-flip-sampled" });
    expect(drawn(1)).toEqual(drawn(1));
  });

  it("does not depend on the order of rows", () => {
    const [a, b] = [
      tasks(Array.from({ length: 40 }, (_, i) => [i % 2, 0.9])),
      tasks(Array.from({ length: 40 }, () => [1, 0.8])),
    ];
    expect(compareRows(a.toReversed(), b)).toEqual(compareRows(a, b.toReversed()));
  });
});

describe("properties", () => {
  const scores = fc.array(fc.array(fc.constantFrom(0, 0.25, 0.5, 1), { minLength: 1, maxLength: 3 }), {
    maxLength: 12,
  });

  it("negates every difference when A and B are swapped", () => {
    fc.assert(
      fc.property(scores, scores, fc.nat(), (x, y, seed) => {
        const there = compareRows(tasks(x), tasks(y), { seed });
        const back = compareRows(tasks(y), tasks(x), { seed });
        expect(back.tasks).toEqual({ ...there.tasks, aOnly: there.tasks.bOnly, bOnly: there.tasks.aOnly });
        expect(back.flips.toFail.map(({ exampleId }) => exampleId)).toEqual(
          there.flips.toPass.map(({ exampleId }) => exampleId),
        );
        for (const one of there.metrics) {
          const other = metric(back, one.metric);
          expect(other).toMatchObject({ a: one.b, b: one.a, p: one.p, adjustedP: one.adjustedP, se: one.se });
          if (one.difference !== null) expect(0 - (other.difference ?? Number.NaN)).toBe(one.difference);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("finds no difference between a run and itself", () => {
    fc.assert(
      fc.property(scores, (x) => {
        const { metrics, flips, unmatched } = compareRows(tasks(x), tasks(x));
        for (const { difference, p, n, change } of metrics) {
          if (n === 0) expect([difference, p]).toEqual([null, null]);
          else expect([difference, p]).toEqual([0, 1]);
          expect(["same", "unclear"]).toContain(change);
        }
        expect([flips.toFail, flips.toPass, unmatched]).toEqual([[], [], []]);
      }),
      { numRuns: 40 },
    );
  });

  it("matches the underlying statistics and contains only JSON values", () => {
    fc.assert(
      fc.property(scores, scores, (x, y) => {
        const comparison = compareRows(tasks(x), tasks(y));
        expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison);
        const n = Math.min(x.length, y.length);
        const means = (of: readonly (readonly number[])[]) =>
          of.slice(0, n).map((trials) => trials.reduce((sum, value) => sum + value, 0) / trials.length);
        const expected = pairedDifference(means(y), means(x));
        const found = metric(comparison, "mean_score");
        expect(found.n).toBe(n);
        if (n > 0) expect(found.difference).toBeCloseTo(expected.difference, 10);
        if (expected.se !== null) expect(found.se).toBeCloseTo(expected.se, 10);
      }),
      { numRuns: 60 },
    );
  });
});

describe("pairing", () => {
  it("counts tasks that are on one side only, with the reason", () => {
    const message = "the cable is out";
    const a = [
      ...tasks([1, 1]),
      row({ exampleId: "only-a" }),
      row({ exampleId: "broken", outcome: "error", errorCategory: "api_error" }),
      row({ exampleId: "late", outcome: "skipped" }),
    ];
    const b = [
      row({ exampleId: 0 }),
      row({ exampleId: 1, outcome: "error", attempts: [{ errorCategory: "api_error", message, durationMs: 1 }] }),
      row({ exampleId: "broken", outcome: "unscored", notes: ["the judge gave no verdict"] }),
      row({ exampleId: "late" }),
    ];
    const { tasks: counts, unmatched } = compareRows(a, b);
    expect(counts).toEqual({ paired: 1, aOnly: 2, bOnly: 1, neither: 1 });
    expect(unmatched).toEqual([
      { dataset: "d", exampleId: 1, scoredIn: "a", reason: "error in B: the cable is out" },
      {
        dataset: "d",
        exampleId: "broken",
        scoredIn: "neither",
        reason: "error in A: api_error; unscored in B: the judge gave no verdict",
      },
      { dataset: "d", exampleId: "late", scoredIn: "b", reason: "skipped in A" },
      { dataset: "d", exampleId: "only-a", scoredIn: "a", reason: "not in B" },
    ]);
  });

  it("separates examples of different datasets", () => {
    const a = [row({ dataset: "x" }), row({ dataset: "y", score: 0 })];
    const b = [row({ dataset: "y" }), row({ dataset: "x", score: 0 })];
    expect(compareRows(a, b).flips).toMatchObject({ toFail: [{ dataset: "x" }], toPass: [{ dataset: "y" }] });
  });

  it("pairs by id if each side has one dataset with a different name, and notes it", () => {
    const { tasks: counts, notes } = compareRows(tasks([1, 0]), tasks([1, 1], { dataset: "e" }));
    expect(counts.paired).toBe(2);
    expect(notes).toEqual(['the datasets have different names, "d" and "e": tasks are paired by example id only']);
  });

  it("uses a custom key", () => {
    const a = [
      row({ dataset: "base/evals", system: "base (m1)" }),
      row({ dataset: "base/evals", system: "base (m2)" }),
    ];
    const b = [
      row({ dataset: "new/evals", system: "new (m1)" }),
      row({ dataset: "new/evals", system: "new (m2)", score: 0 }),
    ];
    const keyOf = ({ system, exampleId }: EvalRow) => `${exampleId} ${system.slice(-4)}`;
    const comparison = compareRows(a, b, { keyOf });
    expect(comparison).toMatchObject({ systemA: "base (m1), base (m2)", tasks: { paired: 2 } });
    expect(metric(comparison, "pass_rate")).toMatchObject({ a: 1, b: 0.5 });
  });

  it("rejects rows of two systems without a custom key", () => {
    expect(() => compareRows([row({ system: "x" }), row({ system: "y" })], [])).toThrow(UsageError);
  });

  it("notes how many trials of paired tasks were not scored", () => {
    const a = [row({ trial: 0 }), row({ trial: 1, outcome: "error" })];
    const { notes, trials } = compareRows(a, [row({})]);
    expect(trials).toEqual({ a: 1, b: 1 });
    expect(notes).toEqual(["unscored trials of paired tasks, which do not count: 1 in A, 0 in B"]);
  });
});

describe("flips", () => {
  it("uses the majority of trials and lists flaky tasks", () => {
    const a = tasks([
      [1, 1, 1],
      [1, 1, 0],
      [0, 0, 0],
      [1, 0],
      [1, 0, 0],
      [1, 1, 1],
    ]);
    const b = tasks([
      [0, 0, 0],
      [0, 0, 1],
      [1, 1, 1],
      [1, 1],
      [0, 1, 0],
      [1, 1, 1],
    ]);
    const { toFail, toPass, flaky } = compareRows(a, b).flips;
    expect(toFail).toEqual([
      { dataset: "d", exampleId: 0, passesA: 3, trialsA: 3, passesB: 0, trialsB: 3, isFlaky: false },
      { dataset: "d", exampleId: 1, passesA: 2, trialsA: 3, passesB: 1, trialsB: 3, isFlaky: true },
    ]);
    expect(toPass.map(({ exampleId }) => exampleId)).toEqual([2]);
    expect(flaky.map(({ exampleId }) => exampleId)).toEqual([3, 4]);
  });
});

describe("metrics", () => {
  const economy = { costUsd: 0.1, latency: 2, durationMs: 3000, outputTokens: 50, turns: 4 };
  const cheaper = { costUsd: 0.05, latency: 1, durationMs: 1000, outputTokens: 60, turns: 4 };

  it("treats lower cost, time and tokens as better", () => {
    const ones = Array.from({ length: 12 }, () => 1);
    const comparison = compareRows(tasks(ones, economy), tasks(ones, cheaper));
    expect(comparison.metrics.map(({ metric: name, change }) => [name, change])).toEqual([
      ["pass_rate", "same"],
      ["mean_score", "same"],
      ["mean_cost_usd", "better"],
      ["latency_mean", "better"],
      ["mean_output_tokens", "worse"],
      ["mean_turns", "same"],
    ]);
    expect(metric(comparison, "mean_cost_usd")).toMatchObject({ a: 0.1, difference: -0.05, kind: "economy" });
  });

  it("uses the duration with retries if latency was not measured, or if requested", () => {
    const only = { durationMs: 3000, latency: null };
    expect(metric(compareRows(tasks([1], only), tasks([1], only)), "duration_mean")).toMatchObject({ a: 3, b: 3 });
    const asked = compareRows(tasks([1], economy), tasks([1], cheaper), { metrics: ["duration_mean"] });
    expect(asked.metrics.map(({ metric: name, b }) => [name, b])).toEqual([["duration_mean", 1]]);
  });

  it("does not count a trial that failed immediately as cheap and fast", () => {
    const failed = row({ exampleId: 1, outcome: "error", costUsd: 0, latency: 0 });
    const comparison = compareRows(tasks([1, 1], economy), [...tasks([1], economy), failed]);
    expect(metric(comparison, "mean_cost_usd")).toMatchObject({ n: 1, b: 0.1 });
    expect(metric(comparison, "latency_mean")).toMatchObject({ n: 1, b: 2 });
  });

  it("compares score fields that both sides have, but the primary one only once", () => {
    const a = tasks([1, 0]).map((one) => makeRow({ ...one, scores: { ...one.scores, f1: 0.5, lone: 1 } }));
    const b = tasks([1, 0]).map((one) => makeRow({ ...one, scores: { ...one.scores, f1: 0.75 } }));
    const names = compareRows(a, b).metrics.map(({ metric: name }) => name);
    expect(names.filter((name) => name.startsWith("field:"))).toEqual(["field:f1"]);
    expect(metric(compareRows(a, b, { metrics: ["f1", "field:em", "lone"] }), "field:f1").difference).toBe(0.25);
    expect(metric(compareRows(a, b, { metrics: ["lone"] }), "field:lone")).toMatchObject({
      n: 0,
      a: null,
      difference: null,
      p: null,
      adjustedP: null,
      reason: "not measured in B",
    });
  });

  it("uses the given score field", () => {
    const graded = (f1: number) => tasks([1]).map((one) => makeRow({ ...one, scores: { em: 1, f1 } }));
    const comparison = compareRows(graded(0.2), graded(0.6), { scoreField: "f1" });
    expect(metric(comparison, "mean_score")).toMatchObject({ a: 0.2, b: 0.6 });
  });

  it("suggests names for an unknown metric", () => {
    expect(() => compareRows(tasks([1]), tasks([1]), { metrics: ["pas_rate"] })).toThrow(/Did you mean "pass_rate"/);
  });

  it("returns null with a reason if nothing is paired", () => {
    const comparison = compareRows([row({ exampleId: 1 })], [row({ exampleId: 2 })]);
    for (const one of comparison.metrics) {
      expect(one).toMatchObject({ n: 0, a: null, b: null, difference: null, p: null, low: null, se: null });
      expect(one.reason).toBe("no task has it on both sides");
    }
    expect(metric(comparison, "pass_rate").detectable).toMatchObject({ difference: null, reason: "no paired tasks" });
    expect(compareRows([], []).metrics.every(({ reason }) => reason === "not measured")).toBe(true);
  });

  it("rejects an invalid level", () => {
    expect(() => compareRows([], [], { level: 95 })).toThrow(/between 0 and 1/);
  });
});

describe("correction for several metrics", () => {
  it("applies Holm over distinct hypotheses that can become significant", () => {
    const fields = (em: number, f1: number, rare: boolean) => ({ scores: { em, f1, ...(rare ? { rare: 1 } : {}) } });
    const a = Array.from({ length: 10 }, (_, i) =>
      makeRow({ ...row({ exampleId: i, score: 0 }), ...fields(0, i / 20, i < 3) }),
    );
    const b = Array.from({ length: 10 }, (_, i) =>
      makeRow({
        ...row({ exampleId: i, score: i < 8 ? 1 : 0 }),
        ...fields(i < 8 ? 1 : 0, i === 4 ? 0.4 : i / 20, i < 3),
      }),
    );
    const comparison = compareRows(a, b, { metrics: ["pass_rate", "mean_score", "f1", "rare"] });
    const passes = mcnemarExact(0, 8);
    const [adjustedPasses, adjustedF1] = holm([passes, 1]);
    expect(metric(comparison, "pass_rate")).toMatchObject({ p: passes, adjustedP: adjustedPasses, hypotheses: 2 });
    // The score is 0 or 1, so it is the same hypothesis as the pass rate.
    expect(metric(comparison, "mean_score").adjustedP).toBe(adjustedPasses);
    expect(metric(comparison, "field:f1")).toMatchObject({ p: 1, adjustedP: adjustedF1 });
    expect(metric(comparison, "field:rare")).toMatchObject({
      adjustedP: null,
      change: "same",
      reason: "too few tasks for any difference to be significant",
    });
  });
});

describe("minimum detectable difference", () => {
  it("uses the measured variance", () => {
    const { detectable, se } = metric(compareRows(tasks(A), tasks(B)), "pass_rate");
    expect(detectable).toMatchObject({ power: 0.8, spread: "measured" });
    expect(detectable?.difference).toBeCloseTo((1.959964 + 0.841621) * (se ?? 0), 5);
  });

  it("assumes a variance if no task differs, and reports too few tasks", () => {
    const same = (n: number) => tasks(Array.from({ length: n }, () => [1, 1, 1]));
    const { detectable } = metric(compareRows(same(200), same(200)), "pass_rate");
    expect(detectable?.spread).toBe("assumed");
    expect(detectable?.difference).toBeCloseTo(0.093, 3);
    expect(metric(compareRows(same(5), same(5)), "pass_rate").detectable).toEqual({
      difference: null,
      power: 0.8,
      spread: "assumed",
      reason: "too few tasks for any difference to be significant",
    });
  });
});

describe("measures", () => {
  const measured = (scale: number) =>
    Array.from({ length: 8 }, (_, exampleId) => row({ exampleId, measures: { characters: scale * (exampleId + 1) } }));

  it("are compared if named, and are neither better nor worse", () => {
    const [found] = compareRows(measured(10), measured(20), { metrics: ["measure:characters"] }).metrics;
    expect(found).toMatchObject({ metric: "measure:characters", kind: "measure", a: 45, b: 90, change: "different" });
    const [back] = compareRows(measured(20), measured(10), { metrics: ["measure:characters"] }).metrics;
    expect(back).toMatchObject({ difference: -45, change: "different", detectable: null });
  });

  it("are left out by default, because they would weaken the correction for the others", () => {
    expect(compareRows(measured(10), measured(20)).metrics.map(({ kind }) => kind)).not.toContain("measure");
    expect(() => compareRows(measured(1), measured(2), { metrics: ["measure:character"] })).toThrow(
      'Did you mean "measure:characters"?',
    );
  });
});

it("compares 100,000 rows in seconds", () => {
  const half = (shift: number) =>
    Array.from({ length: 50_000 }, (_, i) =>
      row({
        exampleId: `example-${i >> 1}`,
        trial: i & 1,
        score: ((i * 7 + shift) % 11) / 10,
        costUsd: (i % 13) / 100,
        latency: i % 17,
        turns: i % 5,
      }),
    );
  const [a, b] = [half(0), half(3)];
  const cpuMs = startCpuTimer();
  const { tasks: counts } = compareRows(a, b);
  expect(counts.paired).toBe(25_000);
  expect(cpuMs()).toBeLessThan(10_000);
});
