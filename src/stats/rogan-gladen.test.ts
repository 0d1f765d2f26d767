import { describe, expect, it } from "vitest";
import type { Random } from "./random.js";
import { correctJudgedRate } from "./rogan-gladen.js";
import { measureCoverage } from "./simulated-coverage.js";

const draw = (random: Random, n: number, rate: number) => {
  let hits = 0;
  for (let i = 0; i < n; i++) hits += Number(random.next() < rate);
  return hits;
};

describe("correctJudgedRate", () => {
  it("inverts the mistakes of the judge", () => {
    const found = correctJudgedRate({ rate: 0.62, n: 500, passes: 100, truePasses: 90, fails: 100, trueFails: 80 });
    // 0.9 p + 0.2 (1 - p) = 0.62.
    expect(found.value).toBeCloseTo(0.6, 12);
    expect(found).toMatchObject({ sensitivity: 0.9, specificity: 0.8 });
    expect(found.low).toBeLessThan(0.6);
    expect(found.high).toBeGreaterThan(0.6);
  });

  it("has about the delta method's standard error for large samples", () => {
    const [q, se, sp, p] = [0.62, 0.9, 0.8, 0.6];
    const n = 20_000;
    const found = correctJudgedRate({ rate: q, n, passes: n, truePasses: n * se, fails: n, trueFails: n * sp });
    const variance = (q * (1 - q) + p ** 2 * se * (1 - se) + (1 - p) ** 2 * sp * (1 - sp)) / n / (se + sp - 1) ** 2;
    expect((found.se ?? 0) / Math.sqrt(variance)).toBeCloseTo(1, 2);
  });

  it("says nothing of a judge that is hardly better than a coin, or that nobody checked", () => {
    const coin = { rate: 0.5, n: 100, passes: 100, truePasses: 55, fails: 100, trueFails: 50 };
    expect(correctJudgedRate(coin)).toMatchObject({ value: null, low: null, high: null, sensitivity: 0.55 });
    expect(correctJudgedRate({ ...coin, truePasses: 56 }).value).not.toBeNull();
    expect(correctJudgedRate({ ...coin, passes: 0, truePasses: 0 })).toMatchObject({ value: null, sensitivity: null });
  });

  it("stays within [0, 1], and keeps the value in its interval", () => {
    const judged = { n: 200, passes: 50, truePasses: 48, fails: 50, trueFails: 45 };
    for (const rate of [0, 0.05, 0.5, 0.99, 1]) {
      const { value, low, high } = correctJudgedRate({ ...judged, rate });
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(value ?? -1);
      expect(high).toBeGreaterThanOrEqual(value ?? 2);
    }
  });

  it.each([
    [0.5, 0.9, 0.8, 40],
    [0.9, 0.95, 0.7, 30],
    [0.98, 0.8, 0.8, 60],
    [0.3, 0.7, 0.95, 25],
  ])("covers a rate of %d with sensitivity %d, specificity %d and %i labels of each", (rate, se, sp, labels) => {
    const coverage = measureCoverage(rate, 1500, (random) =>
      correctJudgedRate({
        rate: draw(random, 300, rate * se + (1 - rate) * (1 - sp)) / 300,
        n: 300,
        passes: labels,
        truePasses: draw(random, labels, se),
        fails: labels,
        trueFails: draw(random, labels, sp),
      }),
    );
    expect(coverage).toBeGreaterThan(0.925);
  });

  it("names an invalid argument", () => {
    const judged = { rate: 0.5, n: 10, passes: 5, truePasses: 5, fails: 5, trueFails: 5 };
    expect(() => correctJudgedRate({ ...judged, truePasses: 6 })).toThrow(/^truePasses must/);
    expect(() => correctJudgedRate({ ...judged, rate: 1.2 })).toThrow(/^rate must/);
    expect(() => correctJudgedRate({ ...judged, n: 0 })).toThrow(/^n must/);
  });
});
