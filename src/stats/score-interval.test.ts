import { describe, expect, it } from "vitest";
import { studentQuantile } from "./distributions.js";
import { computeWilsonBounds, meanInterval, passRateInterval, scoreInterval } from "./intervals.js";

import { type Random, sampleBeta } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

describe("scoreInterval", () => {
  it("equals Wilson with t at the number of 0/1 trials that match the standard error", () => {
    const scores = [0.5, 0.8, 1, 0.9];
    const { se } = meanInterval(scores);
    const trials = (0.8 * 0.2) / (se ?? Number.NaN) ** 2;
    const { low, high } = computeWilsonBounds(0.8, trials, studentQuantile(0.975, 3));
    const found = scoreInterval(scores);
    expect(found).toMatchObject({ mean: 0.8, n: 4, df: 3 });
    expect(found.low).toBeCloseTo(low, 12);
    expect(found.high).toBeCloseTo(high, 12);
    // They vary less than 0/1 scores could, so they are worth more than four of them.
    expect(trials).toBeGreaterThan(4);
  });

  it("has some width if all scores agree, and stays within [0, 1]", () => {
    expect(scoreInterval([1, 1, 1, 1, 1, 1])).toMatchObject({ mean: 1, high: 1 });
    expect(scoreInterval([1, 1, 1, 1, 1, 1]).low).toBeLessThan(0.61);
    expect(scoreInterval([0.5, 0.5, 0.5]).low).toBeLessThan(0.2);
    expect(scoreInterval([0.99, 0.2])).toMatchObject({ n: 2 });
    const wide = scoreInterval([0.99, 0.2]);
    expect(wide.low).toBeGreaterThanOrEqual(0);
    expect(wide.high).toBeLessThanOrEqual(1);
  });

  it("handles clusters like the pass rate, and has no interval below two units", () => {
    const scores = [1, 1, 1, 0, 0, 1, 0, 1];
    const clusters = ["a", "a", "a", "b", "b", "c", "c", "c"];
    const { low, high } = passRateInterval(scores, 8, { clusters });
    expect(scoreInterval(scores, { clusters })).toMatchObject({ low, high, clusters: 3, n: 8 });
    expect(scoreInterval([0.4])).toMatchObject({ low: null, high: null, n: 1 });
    expect(scoreInterval([])).toMatchObject({ low: null, high: null, n: 0 });
    expect(scoreInterval([0.1, 0.9], { clusters: [1, 1] })).toMatchObject({ low: null, clusters: 1 });
  });

  it("names an invalid argument", () => {
    expect(() => scoreInterval([0.5, 1.1])).toThrow(/^taskMeans must/);
    expect(() => scoreInterval([0.5, 1], { level: 1 })).toThrow(/^level must/);
  });

  const threeValued = (zero: number, half: number) => (random: Random) => {
    const u = random.next();
    return u < zero ? 0 : u < zero + half ? 0.5 : 1;
  };

  it.each<[name: string, truth: number, n: number, draw: (random: Random) => number]>([
    ["three values", 0.65, 10, threeValued(0.2, 0.3)],
    ["three values", 0.65, 100, threeValued(0.2, 0.3)],
    ["three values, nearly all 1", 0.97, 10, threeValued(0.01, 0.04)],
    ["three values, nearly all 1", 0.97, 30, threeValued(0.01, 0.04)],
    ["three values, nearly all 1", 0.97, 100, threeValued(0.01, 0.04)],
    ["Beta(8, 2)", 0.8, 5, (random) => sampleBeta(8, 2, random)],
    ["Beta(8, 2)", 0.8, 100, (random) => sampleBeta(8, 2, random)],
    ["Beta(30, 1)", 30 / 31, 10, (random) => sampleBeta(30, 1, random)],
    ["60 % of 1, else anything", 0.8, 10, (random) => (random.next() < 0.6 ? 1 : random.next())],
    ["60 % of 1, else anything", 0.8, 100, (random) => (random.next() < 0.6 ? 1 : random.next())],
  ])("covers the true value: %s, mean %d, %i tasks", (_, truth, n, draw) => {
    const coverage = measureCoverage(truth, 2000, (random) =>
      scoreInterval(Float64Array.from({ length: n }, () => draw(random))),
    );
    expect(coverage).toBeGreaterThan(0.92);
    expect(coverage).toBeLessThan(0.985);
  });
});
