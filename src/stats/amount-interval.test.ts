import { describe, expect, it } from "vitest";
import { studentQuantile } from "./distributions.js";
import { amountInterval, meanInterval } from "./intervals.js";
import { type Random, sampleGamma, sampleNormal } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

describe("amountInterval", () => {
  it("is the t interval on the log scale and stays above 0", () => {
    const costs = [0.0001, 0.00002, 0.00048];
    const { mean, se, low } = meanInterval(costs);
    expect(low).toBeLessThan(0);
    const factor = Math.exp((studentQuantile(0.975, 2) * (se ?? Number.NaN)) / mean);
    expect(amountInterval(costs)).toMatchObject({ mean, se, low: mean / factor, high: mean * factor, n: 3 });
  });

  it("has no interval if all values are 0, or below two units", () => {
    expect(amountInterval([0, 0, 0])).toMatchObject({ mean: 0, se: 0, low: null, high: null });
    expect(amountInterval([4])).toMatchObject({ mean: 4, low: null, high: null });
    expect(amountInterval([])).toMatchObject({ mean: 0, n: 0, low: null });
    expect(amountInterval([4, 5], { clusters: ["a", "a"] })).toMatchObject({ low: null, clusters: 1 });
  });

  it("names an invalid argument", () => {
    expect(() => amountInterval([1, -1])).toThrow(/^values must not be negative/);
    expect(() => amountInterval([1, 2], { level: 0 })).toThrow(/^level must/);
  });

  it.each<[name: string, truth: number, n: number, draw: (random: Random) => number]>([
    ["exponential", 1, 10, (random) => -Math.log(1 - random.next())],
    ["exponential", 1, 100, (random) => -Math.log(1 - random.next())],
    ["Gamma(2)", 2, 5, (random) => sampleGamma(2, random)],
    ["Gamma(2)", 2, 30, (random) => sampleGamma(2, random)],
    ["log-normal, σ = 0.3", Math.exp(0.045), 10, (random) => Math.exp(0.3 * sampleNormal(random))],
    ["half of them 0", 0.5, 30, (random) => (random.next() < 0.5 ? 0 : -Math.log(1 - random.next()))],
  ])("covers the true value: %s, mean %d, %i tasks", (_, truth, n, draw) => {
    const coverage = measureCoverage(truth, 2000, (random) =>
      amountInterval(Float64Array.from({ length: n }, () => draw(random))),
    );
    expect(coverage).toBeGreaterThan(0.91);
    expect(coverage).toBeLessThan(0.975);
  });
});
