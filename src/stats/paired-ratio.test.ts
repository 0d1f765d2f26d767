import { describe, expect, it } from "vitest";
import { scoreInterval } from "./intervals.js";
import { pairedRatio } from "./paired-ratio.js";
import { createRandom } from "./random.js";

const ones = (n: number) => Array.from({ length: n }, () => 1);

describe("pairedRatio", () => {
  it("is as wide as one pass rate if every trial of both passed", () => {
    const { low, high, ratio } = pairedRatio(ones(20), ones(20));
    const single = scoreInterval(ones(20)).low ?? 0;
    expect(ratio).toBe(1);
    expect(low).toBeCloseTo(single, 12);
    expect(high).toBeCloseTo(1 / single, 12);
  });

  it("is undefined if the denominator never passes", () => {
    expect(pairedRatio([1, 0], [0, 0])).toEqual({ ratio: null, low: null, high: null, n: 2 });
    expect(pairedRatio([], [])).toEqual({ ratio: null, low: null, high: null, n: 0 });
  });

  it("has no interval for one task or one cluster", () => {
    expect(pairedRatio([0.5], [1])).toEqual({ ratio: 0.5, low: null, high: null, n: 1 });
    expect(pairedRatio([0.5, 1], [1, 1], { clusters: ["a", "a"] })).toMatchObject({ low: null, high: null });
  });

  it("has 0 as its lower bound if nothing passes under stress", () => {
    const { ratio, low, high } = pairedRatio([0, 0, 0, 0, 0, 0], ones(6));
    expect([ratio, low]).toEqual([0, 0]);
    expect(high).toBeGreaterThan(0.3);
  });

  it("is narrower the more the two go together", () => {
    const passes = [1, 1, 1, 0, 1, 0, 1, 1, 0, 1];
    const width = (a: readonly number[]) => {
      const { low, high } = pairedRatio(a, passes);
      return (high ?? Number.POSITIVE_INFINITY) - (low ?? 0);
    };
    expect(width(passes)).toBeLessThan(width([0, 1, 1, 1, 0, 1, 1, 1, 1, 1]));
  });

  /** Task difficulty and stress; both arms share the difficulty of a task, clustered or not. */
  it.each([
    { n: 20, p: 0.95, stress: 1, trials: 1, size: 1 },
    { n: 20, p: 0.8, stress: 0.7, trials: 3, size: 1 },
    { n: 50, p: 0.5, stress: 0.9, trials: 1, size: 1 },
    { n: 100, p: 0.9, stress: 0.95, trials: 5, size: 1 },
    { n: 60, p: 0.7, stress: 0.8, trials: 2, size: 3 },
  ])("covers the true ratio in at least 93 % of 2,000 simulations: $n tasks, p $p, stress $stress", (design) => {
    const { n, p, stress, trials, size } = design;
    const random = createRandom(11);
    const spread = Math.min(p, 1 - p);
    let covered = 0;
    for (let run = 0; run < 2000; run++) {
      const clusters = Array.from({ length: n }, (_, i) => Math.floor(i / size));
      const shifts = clusters.map(() => (random.next() < 0.5 ? -spread : spread));
      const draw = (rate: number) => {
        let passes = 0;
        for (let i = 0; i < trials; i++) passes += random.next() < rate ? 1 : 0;
        return passes / trials;
      };
      const rates = clusters.map((cluster) => p + (shifts[cluster] ?? 0));
      const b = rates.map(draw);
      const a = rates.map((rate) => draw(rate * stress));
      const { low, high } = pairedRatio(a, b, size === 1 ? {} : { clusters });
      if ((low ?? 0) <= stress && stress <= (high ?? Number.POSITIVE_INFINITY)) covered += 1;
    }
    expect(covered / 2000).toBeGreaterThan(0.93);
  });
});
