import { describe, expect, it } from "vitest";
import { meanInterval } from "./mean-interval.js";
import { passRateInterval } from "./pass-rate-interval.js";
import { coverageOf } from "./simulated-coverage.js";
import { studentQuantile } from "./student.js";
import { wilsonBounds, wilsonInterval } from "./wilson.js";

describe("passRateInterval", () => {
  it("is Wilson for one trial each", () => {
    expect(passRateInterval([1, 1, 0, 1, 1], 5)).toEqual({ rate: 0.8, n: 5, nEff: 5, ...wilsonInterval(4, 5) });
    expect(passRateInterval([1], 1)).toMatchObject(wilsonInterval(1, 1));
  });

  it("is Wilson at the effective number of trials with t for several", () => {
    const means = [1, 0.5, 0, 0.75, 1, 0.25];
    const { se } = meanInterval(means);
    const rate = 3.5 / 6;
    const nEff = (rate * (1 - rate)) / (se ?? Number.NaN) ** 2;
    const interval = passRateInterval(means, 24);
    expect(interval.nEff).toBeCloseTo(nEff, 10);
    expect(interval).toMatchObject({ n: 6 });
    const expected = wilsonBounds(rate, nEff, studentQuantile(0.975, 5));
    expect(interval.low).toBeCloseTo(expected.low, 10);
    expect(interval.high).toBeCloseTo(expected.high, 10);
  });

  it("counts tasks, not trials, when all tasks agree, and never more than the trials there were", () => {
    expect(passRateInterval([1, 1, 1, 1], 40)).toMatchObject({ nEff: 4, high: 1 });
    expect(passRateInterval([0.5, 0.5, 0.5], 6)).toMatchObject({ nEff: 3 });
    expect(passRateInterval([0.5, 0.5, 0.5, 0.51], 16).nEff).toBe(16);
  });

  it("has no interval for several trials of one task, or for nothing", () => {
    expect(passRateInterval([0.5], 4)).toEqual({ rate: 0.5, n: 1, nEff: null, low: null, high: null });
    expect(passRateInterval([], 0)).toMatchObject({ n: 0, low: null, high: null });
  });

  it("covers the truth over tasks of different difficulty", () => {
    const [tasks, trials] = [25, 4];
    const coverage = coverageOf(0.75, 2000, (random) => {
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

  it("names a bad argument", () => {
    expect(() => passRateInterval([0.5, 1.2], 4)).toThrow(/^taskMeans must/);
    expect(() => passRateInterval([0.5, 1], 1)).toThrow(/^totalTrials must/);
  });
});
