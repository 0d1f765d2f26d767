import { describe, expect, it } from "vitest";
import { bootstrapInterval } from "./bootstrap.js";
import { quantile } from "./quantile.js";
import { quantileBootstrapInterval, quantileBootstrapIntervalSorted } from "./quantile-bootstrap.js";
import { createRandom, type Random } from "./random.js";
import { coverageOf } from "./simulated-coverage.js";
import { gammaVariate } from "./variates.js";

const seconds = (random: Random) => gammaVariate(2, random);

function draw(seed: string, n: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: n }, () => seconds(random));
}

describe("quantileBootstrapInterval", () => {
  it.each([
    [9, 0.5],
    [40, 0.5],
    [40, 0.95],
    [40, 0.99],
    [41, 0.25],
    [200, 0.9],
  ])("draws order statistics of %i tasks like the plain bootstrap of p = %d", (n, p) => {
    const values = draw(`plain ${n}`, n);
    const plain = bootstrapInterval(values, (xs) => quantile(xs, p), { seed: 1, resamples: 4000 });
    const direct = quantileBootstrapInterval(
      values.map((value) => [value]),
      p,
      { seed: 2, resamples: 4000 },
    );
    // Bounds are compared by the share of values below them: neighbouring values may lie far apart.
    const rank = (bound: number | null) => values.filter((value) => value < (bound ?? Number.NaN)).length / n;
    expect(Math.abs(rank(direct.low) - rank(plain.low))).toBeLessThanOrEqual(1.01 / n + 0.01);
    expect(Math.abs(rank(direct.high) - rank(plain.high))).toBeLessThanOrEqual(1.01 / n + 0.01);
    expect(direct).toMatchObject({ n, resamples: 4000 });
  });

  it("has the distribution of the plain bootstrap, by enumerating all 27 resamples of three tasks", () => {
    const values = [1, 2, 4];
    const medians = values.flatMap((x) => values.flatMap((y) => values.map((z) => quantile([x, y, z], 0.5))));
    const share = medians.filter((value) => value === 1).length / 27;
    expect(share).toBeCloseTo(7 / 27, 12);
    const bounds = (tail: number) =>
      quantileBootstrapIntervalSorted(Float64Array.from(values), 0.5, {
        seed: 3,
        resamples: 20_000,
        level: 1 - 2 * tail,
      });
    // The step from 1 to 2 (and from 4 to 2 above) must lie where the enumeration puts it, to five standard errors.
    expect(bounds(share - 0.015)).toMatchObject({ low: 1, high: 4 });
    expect(bounds(share + 0.015)).toMatchObject({ low: 2, high: 2 });
  });

  it("treats several values per task like the plain bootstrap over tasks", () => {
    const random = createRandom("several");
    const tasks = Array.from({ length: 30 }, (_, i) => Array.from({ length: 1 + (i % 4) }, () => seconds(random)));
    const statistic = (p: number) => (xs: readonly (readonly number[])[]) => quantile(xs.flat(), p);
    for (const p of [0, 0.5, 0.95, 1]) {
      const plain = bootstrapInterval(tasks, statistic(p), { seed: 11, resamples: 1000 });
      // The same seed draws the same tasks, so the two must agree to the last digit.
      expect(quantileBootstrapInterval(tasks, p, { seed: 11, resamples: 1000 })).toEqual(plain);
    }
  });

  it("handles ties between and within tasks", () => {
    const tasks = [[1, 1, 2], [2, 2], [1, 3, 3], [2]];
    const plain = bootstrapInterval(tasks, (xs) => quantile(xs.flat(), 0.5), { seed: 4 });
    expect(quantileBootstrapInterval(tasks, 0.5, { seed: 4 })).toEqual(plain);
    expect(quantileBootstrapInterval([[2], [2], [2]], 0.5, { seed: 4 })).toMatchObject({ low: 2, high: 2 });
  });

  it("leaves out tasks without values and has no interval below two tasks", () => {
    const options = { seed: 1 };
    expect(quantileBootstrapInterval([[], [1], [], [2], [3]], 0.5, options)).toEqual(
      quantileBootstrapInterval([[1], [2], [3]], 0.5, options),
    );
    expect(quantileBootstrapInterval([[1, 2, 3], []], 0.5, options)).toMatchObject({ low: null, high: null, n: 1 });
    expect(quantileBootstrapInterval([], 0.5, options)).toMatchObject({ low: null, n: 0 });
  });

  it("covers a median about as often as it says", () => {
    const truth = 1.6783469900166605;
    const coverage = coverageOf(truth, 1000, (random) =>
      quantileBootstrapInterval(
        Array.from({ length: 50 }, () => [seconds(random)]),
        0.5,
        { seed: random.uint32(), resamples: 400 },
      ),
    );
    expect(coverage).toBeGreaterThan(0.92);
    expect(coverage).toBeLessThan(0.975);
  });

  it.each([0.5, 0.95, 0.99])("tends to its limit: %s of a thousand tasks, resampled often", (p) => {
    const random = createRandom(`limit ${p}`);
    const values = Array.from({ length: 1000 }, () => seconds(random));
    const plain = bootstrapInterval(values, (xs) => quantile(xs, p), { seed: 5, resamples: 4000 });
    const limit = quantileBootstrapInterval(
      values.map((value) => [value]),
      p,
      { seed: 5 },
    );
    const width = (plain.high ?? 0) - (plain.low ?? 0);
    expect(Math.abs((limit.low ?? 0) - (plain.low ?? 0))).toBeLessThan(0.1 * width);
    expect(Math.abs((limit.high ?? 0) - (plain.high ?? 0))).toBeLessThan(0.1 * width);
    expect(limit.resamples).toBe(Number.POSITIVE_INFINITY);
  });

  it("costs almost nothing beyond the sort for a million tasks", () => {
    const random = createRandom("million");
    const sorted = Float64Array.from({ length: 1_000_000 }, () => random.next()).sort();
    const { low, high, resamples } = quantileBootstrapIntervalSorted(sorted, 0.95, { seed: 1 });
    // Two thousand plain resamples would take minutes, and this test would run into its time limit.
    expect(resamples).toBe(Number.POSITIVE_INFINITY);
    expect(high ?? 0).toBeGreaterThan(0.95);
    expect((high ?? 1) - (low ?? 0)).toBeCloseTo(2 * 1.96 * Math.sqrt((0.95 * 0.05) / 1e6), 4);
  });

  it("costs little for many tasks of several values either", () => {
    const random = createRandom("several of many");
    const tasks = Array.from({ length: 200_000 }, () => [random.next(), random.next(), random.next()]);
    const { low, high } = quantileBootstrapInterval(tasks, 0.95, { seed: 1 });
    expect((high ?? 1) - (low ?? 0)).toBeCloseTo(2 * 1.96 * Math.sqrt((0.95 * 0.05) / 6e5), 3);
  });

  it("names a bad p", () => {
    expect(() => quantileBootstrapInterval([[1], [2]], 95, { seed: 1 })).toThrow(/^p must/);
  });
});
