import { describe, expect, it } from "vitest";
import { studentQuantile } from "./distributions.js";
import { ratioInterval } from "./intervals.js";
import { type Random, sampleGamma } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

const COSTS = [0.11, 0.29, 0.055, 0.5, 0.21, 0.15, 0.085, 0.3];
const PASSES = [1, 0.5, 1, 0, 1, 1, 1, 0.5];

describe("ratioInterval", () => {
  it("reproduces the reference cost of pass", () => {
    const interval = ratioInterval(COSTS, PASSES);
    expect(interval.ratio).toBeCloseTo(3.4 / 12, 12);
    expect(interval.se).toBeCloseTo(0.118421, 6);
    expect(interval.low).toBeCloseTo(0.105458, 6);
    expect(interval.high).toBeCloseTo(0.761232, 6);
    expect(interval.g).toBeCloseTo(0.177506, 6);
    expect(interval).toMatchObject({ n: 8, unbounded: false });
  });

  it("scales with its numerators and is invariant to a common factor", () => {
    const base = ratioInterval(COSTS, PASSES);
    const scaled = ratioInterval(
      COSTS.map((cost) => cost * 10),
      PASSES,
    );
    expect(scaled.high).toBeCloseTo(10 * (base.high ?? Number.NaN), 10);
    expect(scaled.g).toBeCloseTo(base.g ?? Number.NaN, 12);
  });

  it("reports a missing upper bound", () => {
    const interval = ratioInterval([1, 1, 1, 1], [1, 0, 0, 0]);
    expect(interval).toMatchObject({ ratio: 4, high: null, unbounded: true });
    expect(interval.g).toBeGreaterThanOrEqual(1);
    expect(interval.low).toBeGreaterThan(0);
  });

  it("is infinite without passes and has no interval below two tasks", () => {
    expect(ratioInterval([1, 2], [0, 0])).toEqual({
      ratio: Number.POSITIVE_INFINITY,
      se: null,
      low: null,
      high: null,
      g: null,
      n: 2,
      unbounded: true,
    });
    expect(ratioInterval([], []).ratio).toBe(Number.POSITIVE_INFINITY);
    expect(ratioInterval([3], [2])).toMatchObject({ ratio: 1.5, se: null, low: null, high: null });
  });

  it("is a point if nothing varies, and has no interval if all costs are 0", () => {
    expect(ratioInterval([2, 2, 2], [1, 1, 1])).toMatchObject({ ratio: 2, se: 0, low: 2, high: 2 });
    const free = ratioInterval([0, 0, 0], [1, 0.5, 1]);
    expect(free).toMatchObject({ ratio: 0, low: null, high: null, unbounded: false });
  });

  it("covers the true value", () => {
    const coverage = measureCoverage(2 / 0.6, 2000, (random) => {
      const passes = Array.from({ length: 60 }, () => (random.next() < 0.6 ? 1 : 0));
      const costs = passes.map((pass) => (sampleGamma(2, random) * (pass === 1 ? 0.8 : 1.3)) / 1);
      return ratioInterval(costs, passes);
    });
    expect(coverage).toBeGreaterThan(0.93);
    expect(coverage).toBeLessThan(0.97);
  });

  it("computes variances from the sums of clusters", () => {
    const clusters = [0, 0, 1, 1, 1, 2, 3, 3];
    const [n, units] = [8, 4];
    const ratio = 1.7 / 6;
    const sumsOf = (value: (index: number) => number) =>
      [0, 1, 2, 3].map((own) => clusters.reduce((sum, cluster, i) => sum + (cluster === own ? value(i) : 0), 0));
    const varianceOf = (sums: number[]) =>
      ((units / (units - 1)) * sums.reduce((total, sum) => total + sum * sum, 0)) / n ** 2;
    const residuals = sumsOf((i) => (COSTS[i] ?? 0) - ratio * (PASSES[i] ?? 0));
    const se = Math.sqrt(varianceOf(residuals)) / 0.75;
    const found = ratioInterval(COSTS, PASSES, { clusters });
    expect(found).toMatchObject({ n: 8, clusters: 4 });
    expect(found.se).toBeCloseTo(se, 12);
    expect(found.low).toBeCloseTo(ratio / Math.exp((studentQuantile(0.975, 3) * se) / ratio), 12);
    const spreads = sumsOf((i) => (PASSES[i] ?? 0) - 0.75);
    expect(found.g).toBeCloseTo((studentQuantile(0.975, 3) ** 2 * varianceOf(spreads)) / 0.75 ** 2, 12);
  });

  it("equals the plain interval if every task is its own cluster, and has none for one cluster", () => {
    const plain = ratioInterval(COSTS, PASSES);
    const own = ratioInterval(COSTS, PASSES, { clusters: COSTS.map((_, i) => i) });
    expect(own.se).toBeCloseTo(plain.se ?? Number.NaN, 14);
    expect(own.high).toBeCloseTo(plain.high ?? Number.NaN, 12);
    expect(plain).not.toHaveProperty("clusters");
    const one = ratioInterval(COSTS, PASSES, { clusters: COSTS.map(() => "a") });
    expect(one).toMatchObject({ low: null, high: null, se: null, clusters: 1, unbounded: false });
  });

  it("covers clustered data only if given the clusters", () => {
    const clusters = Array.from({ length: 200 }, (_, i) => i % 20);
    const draw = (random: Random) => {
      const clusterCosts = Array.from({ length: 20 }, () => sampleGamma(2, random));
      const costs = clusters.map((cluster) => (clusterCosts[cluster] ?? 0) * sampleGamma(5, random));
      return { costs, passes: clusters.map(() => Number(random.next() < 0.6)) };
    };
    const coverage = (options: { clusters?: number[] }) =>
      measureCoverage(10 / 0.6, 1000, (random) => {
        const { costs, passes } = draw(random);
        return ratioInterval(costs, passes, options);
      });
    const clustered = coverage({ clusters });
    expect(clustered).toBeGreaterThan(0.91);
    expect(clustered).toBeLessThan(0.97);
    expect(coverage({})).toBeLessThan(0.75);
  });

  it("names an invalid argument", () => {
    expect(() => ratioInterval([1, 2], [1, 2], { clusters: ["a"] })).toThrow(/^numerators and clusters must/);
    expect(() => ratioInterval([1], [1, 2])).toThrow(/^numerators and denominators must/);
    expect(() => ratioInterval([-1, 2], [1, 2])).toThrow(/^numerators must/);
    expect(() => ratioInterval([1, 2], [1, Number.NaN])).toThrow(/^denominators must/);
  });
});
