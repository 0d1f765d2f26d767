import { describe, expect, it } from "vitest";
import { studentQuantile } from "./distributions.js";
import { computeWilsonBounds, meanInterval, passRateInterval, wilsonInterval } from "./intervals.js";

import type { Random } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

describe("passRateInterval", () => {
  it("equals Wilson for one trial each", () => {
    expect(passRateInterval([1, 1, 0, 1, 1], 5)).toEqual({ rate: 0.8, n: 5, nEff: 5, ...wilsonInterval(4, 5) });
    expect(passRateInterval([1], 1)).toMatchObject(wilsonInterval(1, 1));
  });

  it("equals Wilson at the effective number of trials, with t, for several", () => {
    const means = [1, 0.5, 0, 0.75, 1, 0.25];
    const { se } = meanInterval(means);
    const rate = 3.5 / 6;
    const nEff = (rate * (1 - rate)) / (se ?? Number.NaN) ** 2;
    const interval = passRateInterval(means, 24);
    expect(interval.nEff).toBeCloseTo(nEff, 10);
    expect(interval).toMatchObject({ n: 6 });
    const expected = computeWilsonBounds(rate, nEff, studentQuantile(0.975, 5));
    expect(interval.low).toBeCloseTo(expected.low, 10);
    expect(interval.high).toBeCloseTo(expected.high, 10);
  });

  it("counts tasks if all agree, and never more than the number of trials", () => {
    expect(passRateInterval([1, 1, 1, 1], 40)).toMatchObject({ nEff: 4, high: 1 });
    expect(passRateInterval([0.5, 0.5, 0.5], 6)).toMatchObject({ nEff: 3 });
    expect(passRateInterval([0.5, 0.5, 0.5, 0.51], 16).nEff).toBe(16);
  });

  it("has no interval for several trials of one task, or without tasks", () => {
    expect(passRateInterval([0.5], 4)).toEqual({ rate: 0.5, n: 1, nEff: null, low: null, high: null });
    expect(passRateInterval([], 0)).toMatchObject({ n: 0, low: null, high: null });
  });

  it("covers the true value over tasks of different difficulty", () => {
    const [tasks, trials] = [25, 4];
    const coverage = measureCoverage(0.75, 2000, (random) => {
      const means = Array.from({ length: tasks }, () => {
        const p = Math.sqrt(Math.sqrt(random.next())) * 0.9375;
        let passes = 0;
        for (let trial = 0; trial < trials; trial++) if (random.next() < p) passes++;
        return passes / trials;
      });
      return passRateInterval(means, tasks * trials);
    });
    expect(coverage).toBeGreaterThan(0.93);
    expect(coverage).toBeLessThan(0.975);
  });

  it("reduces the effective number of trials for clusters", () => {
    const means = [1, 1, 1, 0, 0, 1, 0, 1];
    const clusters = ["a", "a", "a", "b", "b", "c", "c", "c"];
    const interval = passRateInterval(means, 8, { clusters });
    // n_eff = p(1 − p)/SE² with the SE of the reference values, and t at three clusters.
    const nEff = (0.625 * 0.375) / 0.258167 ** 2;
    expect(interval).toMatchObject({ rate: 0.625, n: 8, clusters: 3 });
    expect(interval.nEff).toBeCloseTo(nEff, 4);
    const expected = computeWilsonBounds(0.625, nEff, studentQuantile(0.975, 2));
    expect(interval.low).toBeCloseTo(expected.low, 5);
    expect(interval.high).toBeCloseTo(expected.high, 5);
    expect(passRateInterval(means, 8)).not.toHaveProperty("clusters");
    expect(passRateInterval(means, 8, 0.9)).toEqual(passRateInterval(means, 8, { level: 0.9 }));
  });

  it("counts clusters if they do not differ, and never more than the number of trials", () => {
    const clusters = [1, 1, 1, 2, 2, 2, 3, 3, 3];
    expect(passRateInterval(Array(9).fill(1), 9, { clusters })).toMatchObject({ nEff: 3, high: 1 });
    expect(passRateInterval(Array(9).fill(0), 9, { clusters })).toMatchObject({ nEff: 3, low: 0 });
    // A third of each cluster passes: the rounding error of sums that cancel is not variance.
    expect(passRateInterval([1, 0, 0, 1, 0, 0, 1, 0, 0], 9, { clusters })).toMatchObject({ nEff: 3 });
    const even = [1, 1, 0, 0, 1, 0, 1, 0, 1, 0];
    expect(passRateInterval(even, 10, { clusters: [1, 1, 1, 1, 2, 2, 2, 3, 3, 3] }).nEff).toBeLessThanOrEqual(10);
  });

  it("has no interval for one cluster", () => {
    const interval = passRateInterval([1, 0, 1], 3, { clusters: ["a", "a", "a"] });
    expect(interval).toEqual({ rate: 2 / 3, n: 3, nEff: null, low: null, high: null, clusters: 1 });
  });

  it("covers clustered tasks only if given the clusters", () => {
    const clusters = Array.from({ length: 120 }, (_, i) => i % 12);
    const draw = (random: Random) => {
      const rates = Array.from({ length: 12 }, () => (random.next() < 0.5 ? 0.9 : 0.3));
      return clusters.map((cluster) => Number(random.next() < (rates[cluster] ?? 0)));
    };
    const clustered = measureCoverage(0.6, 2000, (random) => passRateInterval(draw(random), 120, { clusters }));
    const untold = measureCoverage(0.6, 2000, (random) => passRateInterval(draw(random), 120));
    expect(clustered).toBeGreaterThan(0.93);
    expect(clustered).toBeLessThan(0.98);
    expect(untold).toBeLessThan(0.75);
  });

  it("names an invalid argument", () => {
    expect(() => passRateInterval([1, 0], 2, { clusters: ["a"] })).toThrow(/^values and clusters must/);
    expect(() => passRateInterval([0.5, 1.2], 4)).toThrow(/^taskMeans must/);
    expect(() => passRateInterval([0.5, 1], 1)).toThrow(/^totalTrials must/);
  });
});
