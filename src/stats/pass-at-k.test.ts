import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passAtK, passAtKNaive, passHatK, passToTheK } from "./pass-at-k.js";

/** Counts, over all k-subsets of n trials of which the first c passed, those with at least one pass and those with only passes. */
function enumerate(n: number, c: number, k: number): { atLeastOne: number; all: number } {
  let subsets = 0;
  let atLeastOne = 0;
  let all = 0;
  for (let subset = 0; subset < 2 ** n; subset++) {
    const trials = Array.from({ length: n }, (_, i) => i).filter((i) => (subset >> i) & 1);
    if (trials.length !== k) continue;
    subsets++;
    if (trials.some((trial) => trial < c)) atLeastOne++;
    if (trials.every((trial) => trial < c)) all++;
  }
  return { atLeastOne: atLeastOne / subsets, all: all / subsets };
}

describe("unbiased forms", () => {
  it("match an enumeration of all subsets", () => {
    for (let n = 1; n <= 7; n++) {
      for (let c = 0; c <= n; c++) {
        for (let k = 1; k <= n; k++) {
          const { atLeastOne, all } = enumerate(n, c, k);
          expect(passAtK(n, c, k)).toBeCloseTo(atLeastOne, 13);
          expect(passHatK(n, c, k)).toBeCloseTo(all, 13);
        }
      }
    }
  });

  it("return known values", () => {
    expect(passAtK(5, 2, 3)).toBeCloseTo(0.9, 14);
    expect(passHatK(5, 3, 2)).toBeCloseTo(0.3, 14);
    expect(passAtK(5, 4, 5)).toBe(1);
    expect(passHatK(5, 4, 5)).toBe(0);
  });

  it("mirror each other, stay in [0, 1], and are equal at k = 1", () => {
    const counts = fc
      .integer({ min: 1, max: 2000 })
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }), fc.integer({ min: 1, max: n })));
    fc.assert(
      fc.property(counts, ([n, c, k]) => {
        expect(passAtK(n, c, k)).toBeCloseTo(1 - passHatK(n, n - c, k), 12);
        expect(passAtK(n, c, k)).toBeGreaterThanOrEqual(passHatK(n, c, k) - 1e-12);
        expect(passHatK(n, c, k)).toBeGreaterThanOrEqual(0);
        expect(passAtK(n, c, k)).toBeLessThanOrEqual(1);
        expect(passAtK(n, c, 1)).toBeCloseTo(c / n, 12);
        expect(passHatK(n, c, 1)).toBeCloseTo(c / n, 12);
      }),
    );
  });

  it("do not overflow where binomial coefficients do", () => {
    expect(passAtK(100_000, 1, 50_000)).toBeCloseTo(0.5, 12);
    expect(passHatK(100_000, 99_999, 50_000)).toBeCloseTo(0.5, 9);
  });

  it("are unbiased: their mean over all outcomes is the true probability", () => {
    const [n, k, p] = [6, 3, 0.35];
    let atLeastOne = 0;
    let all = 0;
    for (let outcome = 0; outcome < 2 ** n; outcome++) {
      const c = outcome.toString(2).replaceAll("0", "").length;
      const chance = p ** c * (1 - p) ** (n - c);
      atLeastOne += chance * passAtK(n, c, k);
      all += chance * passHatK(n, c, k);
    }
    expect(atLeastOne).toBeCloseTo(passAtKNaive(p, k), 12);
    expect(all).toBeCloseTo(passToTheK(p, k), 12);
  });
});

describe("plug-in forms", () => {
  it("return known values", () => {
    expect(passAtKNaive(0.3, 5)).toBeCloseTo(0.83193, 12);
    expect(passAtKNaive(1, 5)).toBe(1);
    expect(passAtKNaive(0, 5)).toBe(0);
    expect(passAtKNaive(1e-18, 2)).toBeCloseTo(2e-18, 30);
    expect(passToTheK(0.8, 5)).toBeCloseTo(0.32768, 14);
    expect(passToTheK(3 / 5, 2)).toBeCloseTo(0.36, 14);
  });
});

describe("domains", () => {
  it.each([
    ["n", [0, 0, 1]],
    ["n", [2.5, 1, 1]],
    ["n", [Number.NaN, 1, 1]],
    ["c", [5, 6, 2]],
    ["c", [5, -1, 2]],
    ["c", [5, 2.5, 2]],
    ["k", [5, 3, 0]],
    ["k", [5, 3, 6]],
    ["k", [5, 3, 1.5]],
  ] as const)("names %s in (%j)", (name, [n, c, k]) => {
    for (const estimator of [passAtK, passHatK]) {
      expect(() => estimator(n, c, k)).toThrow(RangeError);
      expect(() => estimator(n, c, k)).toThrow(new RegExp(`^${name} must`));
    }
  });

  it("names p and k of the plug-in forms", () => {
    for (const plugIn of [passAtKNaive, passToTheK]) {
      for (const p of [-0.1, 1.1, Number.NaN]) expect(() => plugIn(p, 2)).toThrow(/^p must/);
      for (const k of [0, 1.5, -1]) expect(() => plugIn(0.5, k)).toThrow(/^k must/);
    }
  });
});
