import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MeanTest } from "./confidence-sequence.js";
import { clopperPearsonInterval } from "./intervals.js";
import { nonInferiorityTest } from "./non-inferiority.js";
import { createRandom, type Random, shuffle } from "./random.js";
import {
  holmByEValues,
  type SequentialDecision,
  type SequentialOptions,
  type SequentialResult,
  SequentialTest,
} from "./sequential.js";

const DIFFERENCE = { kind: "difference" } as const;

/** Looks after every unit and stops as soon as it is decided; else makes the final test. */
function run(options: SequentialOptions, values: readonly number[]): SequentialTest {
  const test = new SequentialTest(options);
  for (const value of values) {
    test.add([value]);
    if (test.isDecided) break;
  }
  if (!test.isDecided) test.finish();
  return test;
}

function report(options: SequentialOptions, values: readonly number[]): SequentialResult {
  const [result] = run(options, values).results;
  if (result === undefined) throw new Error("no result");
  return result;
}

function decide(options: SequentialOptions, values: readonly number[]): SequentialDecision {
  const [decision] = run(options, values).decisions;
  if (decision === undefined) throw new Error("no decision");
  return decision;
}

/** Pass/fail of both systems on one task, with a common difficulty for a share of the tasks. */
function drawDifference(random: Random, rates: { a: number; b: number; common: number }): number {
  const u = random.next();
  const v = random.next() < rates.common ? u : random.next();
  return Number(v < rates.b) - Number(u < rates.a);
}

describe("holmByEValues", () => {
  it("rejects what closed testing rejects: all sets in which a hypothesis is have a large enough e-value", () => {
    const values = fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(values, (eValues) => {
        const k = eValues.length;
        const adjusted = holmByEValues(eValues);
        for (let i = 0; i < k; i++) {
          let smallest = Number.POSITIVE_INFINITY;
          for (let set = 1; set < 2 ** k; set++) {
            const members = eValues.filter((_, j) => (set >> j) & 1);
            if ((set >> i) & 1) smallest = Math.min(smallest, Math.max(...members) / members.length);
          }
          expect(adjusted[i]).toBeCloseTo(smallest, 9);
        }
      }),
      { seed: 28 },
    );
  });

  it("keeps the order, and names an invalid e-value", () => {
    expect(holmByEValues([90, 30, 25])).toEqual([30, 15, 15]);
    expect(holmByEValues([10, 300])).toEqual([10, 150]);
    expect(holmByEValues([])).toEqual([]);
    expect(() => holmByEValues([1, -1])).toThrow(/^eValues must/);
    expect(() => holmByEValues([Number.NaN])).toThrow(/^eValues must/);
  });
});

describe("SequentialTest", () => {
  it("calls a candidate better when the e-value reaches 4/alpha, at the first unit at which it does", () => {
    const random = createRandom("first");
    const values = Array.from({ length: 100 }, () => Number(random.next() < 0.5) - Number(random.next() < 0.1));
    const alone = new MeanTest(0, { lower: -1, upper: 1, horizon: 100 });
    let first: number | null = null;
    values.forEach((value, i) => {
      alone.add(value);
      if (alone.above >= 80) first ??= i + 1;
    });
    const found = report({ question: DIFFERENCE, horizon: 100 }, values);
    expect(found).toMatchObject({ verdict: "better", decidedAt: first, isFinal: false, level: 0.975 });
    expect(found.interval.low).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThan(60);
    const mirrored = decide(
      { question: DIFFERENCE, horizon: 100 },
      values.map((value) => -value),
    );
    expect(mirrored).toMatchObject({ verdict: "worse", decidedAt: first });
  });

  it("has an interval that does not contain what was ruled out", () => {
    const random = createRandom("ruled out");
    for (let run = 0; run < 20; run++) {
      const values = Array.from({ length: 400 }, () => drawDifference(random, { a: 0.5, b: 0.8, common: 0.5 }));
      const { verdict, isFinal, interval } = report({ question: DIFFERENCE, horizon: 400 }, values);
      expect([verdict, isFinal]).toEqual(["better", false]);
      expect(interval.low).toBeGreaterThan(0);
    }
  });

  it("keeps a verdict when more units come", () => {
    const test = new SequentialTest({ question: DIFFERENCE, horizon: 400 });
    for (let i = 0; i < 100; i++) test.add([1]);
    const { decidedAt } = test.results[0] ?? {};
    for (let i = 0; i < 300; i++) test.add([-1]);
    test.finish();
    expect(test.results[0]).toMatchObject({ verdict: "better", decidedAt, isFinal: false, count: 400 });
  });

  it("decides by McNemar's mid-p test at the end, with half of alpha", () => {
    // 10 gained, 2 lost: p = (79 + 13) / 4096 = 0.0225; 9 and 2: p = (67 + 12) / 2048 = 0.0386.
    const order = (gained: number, lost: number) => {
      const values = [...new Array(gained).fill(1), ...new Array(lost).fill(-1), ...new Array(200).fill(0)];
      return shuffle(values.slice(0, 200), createRandom(5));
    };
    const at = (gained: number) => {
      const test = new SequentialTest({ question: DIFFERENCE, horizon: 20_000 });
      for (const value of order(gained, 2)) test.add([value]);
      test.finish();
      return test.results[0];
    };
    expect(at(10)).toMatchObject({ verdict: "better", isFinal: true, decidedAt: 200 });
    expect(at(9)).toMatchObject({ verdict: null, decidedAt: null });
  });

  it("decides a threshold at the end by Clopper–Pearson", () => {
    const ask = (passes: number, n: number) => {
      const test = new SequentialTest({ question: { kind: "mean", threshold: 0.9 }, horizon: 100_000 });
      for (let i = 0; i < n; i++) test.add([Number((i * 37) % n < passes)]);
      test.finish();
      return test.results[0]?.verdict ?? null;
    };
    for (const n of [80, 120]) {
      for (let passes = n - 20; passes <= n; passes++) {
        const { low, high } = clopperPearsonInterval(passes, n, 0.95);
        expect(ask(passes, n)).toBe(low >= 0.9 ? "reached" : high <= 0.9 ? "missed" : null);
      }
    }
  });

  it("decides non-inferiority at the end by the test of `migrate`, one-sided at half of alpha", () => {
    for (const lost of [1, 3, 5, 8]) {
      const values = Array.from({ length: 150 }, (_, i) => (i % 15 === 7 && i < 15 * lost ? -1 : 0));
      const test = new SequentialTest({ question: { kind: "non-inferiority", margin: 0.05 }, horizon: 1_000_000 });
      for (const value of values) test.add([value]);
      test.finish();
      const zeros = values.map(() => 0);
      const { pNonInferior } = nonInferiorityTest(zeros, values, { margin: 0.05, isBinary: true });
      const isFar = (pNonInferior ?? 1) <= 0.025;
      expect(test.results[0]?.verdict ?? null).toBe(isFar ? "non-inferior" : null);
    }
  });

  it("stops when the interval is narrow enough", () => {
    const random = createRandom("precision");
    const values = Array.from({ length: 2000 }, () => Number(random.next() < 0.7));
    const found = report({ question: { kind: "precision", halfWidth: 0.06 }, horizon: 2000 }, values);
    expect(found).toMatchObject({ verdict: "precise", level: 0.95 });
    expect(found.interval.high - found.interval.low).toBeLessThanOrEqual(0.12);
    expect(found.count).toBeLessThan(1000);
  });

  it("knows the mean of a population of which every member was seen", () => {
    const ask = (values: readonly number[], question: SequentialOptions["question"]) =>
      decide({ question, horizon: values.length, populationSize: values.length }, values).verdict;
    expect(ask([1, 0, 0, 0, -1, 1], DIFFERENCE)).toBe("better");
    expect(ask([1, 0, 0, 0, -1, 0], DIFFERENCE)).toBeNull();
    expect(ask([1, 0, 1, 0], { kind: "mean", threshold: 0.5 })).toBe("reached");
    expect(ask([1, 0, 0, 0], { kind: "mean", threshold: 0.5 })).toBe("missed");
    expect(ask([0, -1, 0, 0], { kind: "non-inferiority", margin: 0.25 })).toBe("inferior");
  });

  it("rejects impossible questions and missing candidates", () => {
    const make = (question: SequentialOptions["question"]) => new SequentialTest({ question, horizon: 10 });
    expect(() => make({ kind: "non-inferiority", margin: 0 })).toThrow(/^margin must/);
    expect(() => make({ kind: "mean", threshold: 1 })).toThrow("threshold must be strictly between 0 and 1, got 1");
    const test = new SequentialTest({ question: DIFFERENCE, horizon: 10, candidates: 2 });
    expect(() => test.add([1])).toThrow(/^values and candidates must/);
  });

  it.each([
    [0.02, 0, 60],
    [0.5, 0, 40],
    [0.5, 0.8, 80],
    [0.98, 0.5, 60],
  ])("is rarely wrong about equal systems: pass rate %d, common %d, %i tasks", (rate, common, n) => {
    const random = createRandom(`equal ${rate} ${common}`);
    const experiments = 300;
    let wrong = 0;
    for (let i = 0; i < experiments; i++) {
      const values = Array.from({ length: n }, () => drawDifference(random, { a: rate, b: rate, common }));
      if (decide({ question: DIFFERENCE, horizon: n }, values).verdict !== null) wrong++;
    }
    // Three standard errors above 5 %.
    expect(wrong / experiments).toBeLessThan(0.088);
  });

  it("is rarely wrong about equal systems in clusters if a unit is a whole cluster", () => {
    const random = createRandom("clusters");
    let wrong = 0;
    for (let i = 0; i < 300; i++) {
      const values = Array.from({ length: 40 }, () => {
        const shift = 0.6 * random.next() - 0.3;
        const rates = { a: 0.5, b: 0.5 + shift, common: 0.5 };
        return Array.from({ length: 5 }, () => drawDifference(random, rates)).reduce((sum, d) => sum + d / 5, 0);
      });
      if (decide({ question: DIFFERENCE, horizon: 40 }, values).verdict !== null) wrong++;
    }
    expect(wrong / 300).toBeLessThan(0.088);
  });

  it.each([0.9, 0.98])("rarely says that a pass rate of exactly the threshold misses it: %d", (threshold) => {
    const random = createRandom(`threshold ${threshold}`);
    let wrong = 0;
    for (let i = 0; i < 300; i++) {
      const values = Array.from({ length: 80 }, () => Number(random.next() < threshold));
      if (decide({ question: { kind: "mean", threshold }, horizon: 80 }, values).verdict === "missed") wrong++;
    }
    expect(wrong / 300).toBeLessThan(0.088);
  });

  it("calls any of several equal candidates better in at most 2.5 % of the runs, although they share a baseline", () => {
    const random = createRandom("family");
    let wrong = 0;
    for (let i = 0; i < 120; i++) {
      const test = new SequentialTest({ question: DIFFERENCE, horizon: 50, candidates: 5 });
      for (let t = 0; t < 50; t++) {
        const baseline = Number(random.next() < 0.6);
        test.add(Array.from({ length: 5 }, () => Number(random.next() < 0.6) - baseline));
      }
      test.finish();
      if (test.decisions.some(({ verdict }) => verdict === "better")) wrong++;
    }
    expect(wrong / 120).toBeLessThan(0.068);
  });

  it("needs a larger e-value of the first of several candidates, and none of those already decided", () => {
    const one = new SequentialTest({ question: DIFFERENCE, horizon: 100 });
    const four = new SequentialTest({ question: DIFFERENCE, horizon: 100, candidates: 4 });
    const all = new SequentialTest({ question: DIFFERENCE, horizon: 100, candidates: 4 });
    for (let i = 0; i < 40; i++) {
      const value = i % 4 === 0 ? 0 : 1;
      one.add([value]);
      four.add([value, 0, 0, 0]);
      all.add([value, value, value, value]);
    }
    expect(four.results[0]?.decidedAt).toBeGreaterThan(one.results[0]?.decidedAt ?? 99);
    expect(all.isDecided).toBe(true);
    expect(four.isDecided).toBe(false);
  });

  it("takes a third of the units if the difference is twice the detectable one", () => {
    const random = createRandom("savings");
    const taken: number[] = [];
    for (let i = 0; i < 200; i++) {
      // The detectable difference of 100 tasks, 30 % of which differ, is 0.15.
      const values = Array.from({ length: 100 }, () => {
        const u = random.next();
        return u < 0.32 ? 1 : u < 0.34 ? -1 : 0;
      });
      const { verdict, decidedAt } = decide({ question: DIFFERENCE, horizon: 100 }, values);
      expect(verdict).not.toBe("worse");
      taken.push(decidedAt ?? 100);
    }
    taken.sort((x, y) => x - y);
    expect(taken[100]).toBeLessThanOrEqual(35);
  });
});
