import fc from "fast-check";
import jstat from "jstat";
import { describe, expect, it } from "vitest";
import { incompleteBeta, inverseIncompleteBeta } from "./distributions.js";

const shape = fc.double({ min: 0.05, max: 5000, noNaN: true });
const inside = fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true });

describe("incompleteBeta", () => {
  it("matches jstat to its seven digits", () => {
    for (const a of [0.5, 1, 2.5, 10, 80]) {
      for (const b of [0.5, 1, 3, 25]) {
        for (const x of [0.01, 0.2, 0.5, 0.77, 0.99]) {
          expect(Math.abs(incompleteBeta(x, a, b) - jstat.beta.cdf(x, a, b))).toBeLessThan(1e-6);
        }
      }
    }
  });

  it.each([
    [0.01, 0.5, 0.5, 0.06376856085851985],
    [0.01, 0.5, 25, 0.519408687923895],
    [0.77, 80, 25, 0.5618636532152492],
    [0.9, 100, 10, 0.3403098493827792],
    [0.2, 1234.5, 5000, 0.6552297604717092],
    [0.0000024, 2.5, 500_000, 0.2085268444069489],
    [0.499, 500_000, 500_000, 0.022750050961632337],
  ])("is accurate to eleven digits at I_%d(%d, %d) (mpmath, SciPy)", (x, a, b, expected) => {
    expect(Math.abs(incompleteBeta(x, a, b) / expected - 1)).toBeLessThan(1e-11);
  });

  it("is symmetric and monotone", () => {
    fc.assert(
      fc.property(inside, shape, shape, (x, a, b) => {
        expect(incompleteBeta(x, a, b) + incompleteBeta(1 - x, b, a)).toBeCloseTo(1, 10);
        expect(incompleteBeta(x * 0.99, a, b)).toBeLessThanOrEqual(incompleteBeta(x, a, b) + 1e-15);
      }),
    );
  });

  it("has exact ends and names an invalid argument", () => {
    expect(incompleteBeta(0, 2, 3)).toBe(0);
    expect(incompleteBeta(1, 2, 3)).toBe(1);
    expect(() => incompleteBeta(1.1, 2, 3)).toThrow(/^x must/);
    expect(() => incompleteBeta(0.5, 0, 3)).toThrow(/^a must/);
    expect(() => incompleteBeta(0.5, 1, Number.POSITIVE_INFINITY)).toThrow(/^b must/);
  });
});

describe("inverseIncompleteBeta", () => {
  it("inverts incompleteBeta", () => {
    fc.assert(
      fc.property(inside, shape, shape, (p, a, b) => {
        const x = inverseIncompleteBeta(p, a, b);
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(1);
        // A steep end (b below 1) can put the root between the last doubles before 1.
        if (x < 1 - 1e-9) expect(incompleteBeta(x, a, b)).toBeCloseTo(p, 8);
      }),
    );
  });

  it("stays within [0, 1] if the root is at the end", () => {
    expect(inverseIncompleteBeta(0.3, 500_000, 0.01)).toBeCloseTo(1, 12);
    expect(inverseIncompleteBeta(0.9999, 1234.5, 0.01)).toBeLessThanOrEqual(1);
    expect(inverseIncompleteBeta(0, 2, 3)).toBe(0);
    expect(inverseIncompleteBeta(1, 2, 3)).toBe(1);
  });
});
