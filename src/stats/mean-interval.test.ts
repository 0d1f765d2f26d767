import { describe, expect, it } from "vitest";
import { meanInterval } from "./intervals.js";
import { sampleNormal } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

const VALUES = [1, 1, 1, 0, 0, 1, 0, 1];
const CLUSTERS = ["a", "a", "a", "b", "b", "c", "c", "c"];

describe("meanInterval", () => {
  it("returns known standard errors with and without clusters", () => {
    const plain = meanInterval(VALUES);
    expect(plain.mean).toBe(0.625);
    expect(plain.se).toBeCloseTo(0.182981, 6);
    expect(plain).toMatchObject({ n: 8, df: 7 });
    expect(plain).not.toHaveProperty("clusters");
    const clustered = meanInterval(VALUES, { clusters: CLUSTERS });
    expect(clustered.se).toBeCloseTo(0.258167, 6);
    expect(clustered).toMatchObject({ mean: 0.625, n: 8, clusters: 3, df: 2 });
    expect(clustered.high).toBeCloseTo(0.625 + 4.302653 * 0.258167, 5);
  });

  it("equals the plain interval if every value is its own cluster", () => {
    const plain = meanInterval(VALUES);
    const own = meanInterval(VALUES, { clusters: VALUES.map((_, i) => i) });
    expect(own.se).toBeCloseTo(plain.se ?? Number.NaN, 14);
    expect(own.low).toBeCloseTo(plain.low ?? Number.NaN, 12);
  });

  it("has no interval below two tasks or clusters, instead of one without width", () => {
    expect(meanInterval([])).toEqual({ mean: 0, se: null, low: null, high: null, df: 0, n: 0 });
    expect(meanInterval([0.4])).toEqual({ mean: 0.4, se: null, low: null, high: null, df: 0, n: 1 });
    expect(meanInterval([0, 1], { clusters: ["x", "x"] })).toMatchObject({ low: null, clusters: 1 });
  });

  it("covers the true value at its level", () => {
    const coverage = measureCoverage(0.3, 2000, (random) =>
      meanInterval(Float64Array.from({ length: 12 }, () => 0.3 + sampleNormal(random))),
    );
    expect(coverage).toBeGreaterThan(0.935);
    expect(coverage).toBeLessThan(0.965);
  });

  it("covers clustered data only if given the clusters", () => {
    const clusters = Array.from({ length: 60 }, (_, i) => i % 15);
    const draw = (random: Parameters<typeof sampleNormal>[0]) => {
      const shared = Array.from({ length: 15 }, () => sampleNormal(random));
      return clusters.map((cluster) => (shared[cluster] ?? 0) + 0.5 * sampleNormal(random));
    };
    const clustered = measureCoverage(0, 1500, (random) => meanInterval(draw(random), { clusters }));
    const untold = measureCoverage(0, 1500, (random) => meanInterval(draw(random)));
    expect(clustered).toBeGreaterThan(0.925);
    expect(clustered).toBeLessThan(0.97);
    expect(untold).toBeLessThan(0.8);
  });

  it("names an invalid argument", () => {
    expect(() => meanInterval([1, 2], { clusters: ["a"] })).toThrow(/^values and clusters must/);
    expect(() => meanInterval([1, 2], { level: 1 })).toThrow(/^level must/);
  });
});
