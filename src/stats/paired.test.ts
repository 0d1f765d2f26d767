import { describe, expect, it } from "vitest";
import { studentTwoSidedP } from "./distributions.js";
import { pairedDifference } from "./paired.js";
import { sampleNormal } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

const A = [1, 1, 0, 1, 0, 1, 1, 0];
const B = [1, 0, 0, 1, 0, 0, 1, 1];

describe("pairedDifference", () => {
  it("reproduces the reference values", () => {
    const result = pairedDifference(A, B, { seed: 1 });
    expect(result.difference).toBe(0.125);
    expect(result.se).toBeCloseTo(0.226582, 5);
    expect(result.t).toBeCloseTo(0.551677, 6);
    expect(result.p).toBeCloseTo(0.598331, 6);
    expect(result).toMatchObject({ n: 8, df: 7, permutationP: 1, permutationExact: true });
    expect(result.low).toBeCloseTo(0.125 - 2.364624 * 0.226582, 5);
  });

  it("changes sign when the systems are swapped", () => {
    const there = pairedDifference(A, B, { seed: 1 });
    const back = pairedDifference(B, A, { seed: 1 });
    expect(back.difference).toBe(-there.difference);
    expect(back.p).toBeCloseTo(there.p ?? Number.NaN, 14);
    expect(back.low).toBeCloseTo(-(there.high ?? Number.NaN), 14);
  });

  it("returns null for what it cannot know", () => {
    expect(pairedDifference([], [], { seed: 1 })).toMatchObject({ n: 0, se: null, p: null, permutationP: null });
    expect(pairedDifference([1], [0], { seed: 1 })).toMatchObject({ se: null, t: null, p: null, permutationP: 1 });
    expect(pairedDifference(A, A, { seed: 1 })).toMatchObject({ difference: 0, se: 0, t: 0, p: 1, permutationP: 1 });
    // Five equal differences: t would be infinite, while the permutation test gives 2 in 32.
    expect(pairedDifference([1, 1, 1, 1, 1], [0, 0, 0, 0, 0], { seed: 1 })).toMatchObject({
      t: null,
      p: null,
      permutationP: 2 / 32,
    });
  });

  it("covers the true value if systems share task difficulty", () => {
    const coverage = measureCoverage(0.2, 1000, (random) => {
      const difficulty = Array.from({ length: 9 }, () => sampleNormal(random));
      const a = difficulty.map((d) => d + 0.2 + 0.3 * sampleNormal(random));
      const b = difficulty.map((d) => d + 0.3 * sampleNormal(random));
      return pairedDifference(a, b, { seed: 1 });
    });
    expect(coverage).toBeGreaterThan(0.93);
    expect(coverage).toBeLessThan(0.97);
  });

  it("treats clusters as independent units and flips the sign of whole clusters", () => {
    const clusters = ["a", "a", "a", "b", "b", "c", "c", "c"];
    const result = pairedDifference(A, B, { seed: 1, clusters });
    expect(result).toMatchObject({ difference: 0.125, n: 8, df: 2, clusters: 3 });
    // Differences of the clusters from 3, 2 and 3 times the mean: 1 − 0.375, 0 − 0.25, 0 − 0.375.
    const se = Math.sqrt(1.5 * (0.625 ** 2 + 0.25 ** 2 + 0.375 ** 2)) / 8;
    expect(result.se).toBeCloseTo(se, 12);
    expect(result.p).toBeCloseTo(studentTwoSidedP(0.125 / se, 2), 12);
    // Three clusters, all in favor of A: two of the eight sign assignments are as extreme.
    const all = pairedDifference([1, 1, 1, 1], [0, 0, 0, 0], { clusters: ["a", "a", "b", "c"] });
    expect(all).toMatchObject({ permutationP: 2 / 8, permutationExact: true });
    expect(pairedDifference(A, B)).not.toHaveProperty("clusters");
  });

  it("rejects lists of different lengths", () => {
    expect(() => pairedDifference([1], [1, 2], { seed: 1 })).toThrow(/^a and b must have the same length/);
  });
});
