import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLargestFit } from "./truncate.js";

describe("findLargestFit", () => {
  it("finds the largest fit from any guess, with few calls for a close guess", () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), fc.integer({ min: -10, max: 6000 }), (max, limit, guess) => {
        let asked = 0;
        const found = findLargestFit(max, guess, (n) => {
          asked += 1;
          expect(n >= 1 && n <= max).toBe(true);
          return n <= limit;
        });
        const expected = Math.min(max, limit);
        expect(found).toBe(expected);
        const distance = Math.abs(Math.min(Math.max(guess, 0), max) - expected);
        expect(asked).toBeLessThanOrEqual(3 + 2 * Math.ceil(Math.log2(distance + 2)));
      }),
      { numRuns: 500 },
    );
  });

  it("returns 0 if there is nothing to choose from", () => {
    expect(findLargestFit(0, 3, () => true)).toBe(0);
  });
});
