import { describe, expect, it } from "vitest";
import { effectiveUnits, quantileInterval, quantileSorted } from "./quantile.js";

import { createRandom, type Random } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

const ranks = (n: number) => Float64Array.from({ length: n }, (_, i) => i + 1);
const seconds = (random: Random) => -Math.log(1 - random.next());
const quantileOfSeconds = (p: number) => -Math.log(1 - p);

describe("quantileInterval", () => {
  it("uses the ranks of the binomial distribution", () => {
    // The tables of the sign test: 10 values 2 and 9, 20 values 6 and 15.
    expect(quantileInterval(ranks(10), 0.5)).toEqual({ low: 2, high: 9 });
    expect(quantileInterval(ranks(20), 0.5)).toEqual({ low: 6, high: 15 });
    expect(quantileInterval(ranks(100), 0.5)).toEqual({ low: 40, high: 61 });
    expect(quantileInterval(ranks(100), 0.5, { level: 0.9 })).toEqual({ low: 42, high: 59 });
  });

  it("has no bound if there are too few values", () => {
    expect(quantileInterval(ranks(5), 0.5)).toEqual({ low: null, high: null });
    expect(quantileInterval(ranks(6), 0.5)).toEqual({ low: 1, high: 6 });
    expect(quantileInterval(ranks(71), 0.95).high).toBeNull();
    expect(quantileInterval(ranks(72), 0.95).high).toBe(72);
    expect(quantileInterval(ranks(367), 0.99).high).toBeNull();
    expect(quantileInterval(ranks(368), 0.99).high).toBe(368);
    expect(quantileInterval(ranks(1), 0.99)).toEqual({ low: null, high: null });
    expect(quantileInterval(ranks(0), 0.5)).toEqual({ low: null, high: null });
  });

  it("contains the estimate even with few values", () => {
    for (let n = 2; n < 120; n++)
      for (const p of [0.01, 0.1, 0.5, 0.9, 0.95, 0.99])
        for (const units of [n, n / 2, n / 7]) {
          const { low, high } = quantileInterval(ranks(n), p, { units });
          const value = quantileSorted(ranks(n), p);
          expect(low ?? value, `${n} ${p} ${units}`).toBeLessThanOrEqual(value);
          expect(high ?? value, `${n} ${p} ${units}`).toBeGreaterThanOrEqual(value);
        }
  });

  it.each([
    [0.5, 10],
    [0.5, 100],
    [0.95, 72],
    [0.95, 100],
    [0.95, 1000],
    [0.99, 368],
    [0.99, 1000],
  ])("covers the quantile p = %d with %i values", (p, n) => {
    const coverage = measureCoverage(quantileOfSeconds(p), 1000, (random) =>
      quantileInterval(Float64Array.from({ length: n }, () => seconds(random)).sort(), p),
    );
    // At least its level; more, because ranks are whole.
    expect(coverage).toBeGreaterThan(0.935);
  });

  it("covers equal values within a unit, and is conservative for independent ones", () => {
    const draw = (random: Random, isShared: boolean) => {
      const values = Array.from({ length: 40 }, () => {
        const shared = seconds(random);
        return Array.from({ length: 5 }, () => (isShared ? shared : seconds(random)));
      });
      return Float64Array.from(values.flat()).sort();
    };
    const covered = (isShared: boolean, units?: number) =>
      measureCoverage(quantileOfSeconds(0.5), 1000, (random) =>
        quantileInterval(draw(random, isShared), 0.5, { units }),
      );
    expect(covered(true, 40)).toBeGreaterThan(0.935);
    expect(covered(true)).toBeLessThan(0.75);
    expect(covered(false, 40)).toBeGreaterThan(0.99);
  });

  it("names an invalid argument", () => {
    expect(() => quantileInterval(ranks(9), 1)).toThrow(/^p must/);
    expect(() => quantileInterval(ranks(9), 0.5, { level: 1 })).toThrow(/^level must/);
  });
});

describe("effectiveUnits", () => {
  it("returns the number of equal-sized units, and fewer if a few hold most values", () => {
    expect(effectiveUnits([])).toBe(0);
    expect(effectiveUnits([3, 3, 3])).toBe(3);
    expect(effectiveUnits(Uint32Array.of(8, 1, 1))).toBeCloseTo(100 / 66, 12);
    const random = createRandom("sizes");
    const sizes = Array.from({ length: 20 }, () => 1 + random.int(9));
    expect(effectiveUnits(sizes)).toBeLessThanOrEqual(20);
  });
});
