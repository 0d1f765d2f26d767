import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeEditDistance, didYouMean, findClosestName } from "./suggest.js";

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });

describe("computeEditDistance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["kitten", "sitting", 3],
    ["tuncrate", "truncate", 2],
    ["ab", "ba", 1],
    ["abcd", "acbd", 1],
  ])("%s to %s takes %i", (a, b, distance) => {
    expect(computeEditDistance(a, b)).toBe(distance);
  });

  it("is symmetric, zero only for equal words, and bounded by the lengths", () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = computeEditDistance(a, b);
        expect(distance).toBe(computeEditDistance(b, a));
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});

describe("findClosestName", () => {
  it("finds typos, other case and prefixes", () => {
    expect(findClosestName("Truncat", ["extract", "truncate"])).toBe("truncate");
    expect(findClosestName("comp", ["completely-else", "compression_ratio"])).toBe("completely-else");
    expect(findClosestName("f2", ["f1", "recall"])).toBe("f1");
  });

  it("returns undefined if nothing is close", () => {
    expect(findClosestName("zebra", ["extract", "truncate"])).toBeUndefined();
    expect(findClosestName("x", [])).toBeUndefined();
  });
});

describe("didYouMean", () => {
  it("lists known names, sorted, with a suggestion if there is one", () => {
    expect(didYouMean("tuncate", ["truncate", "extract"])).toBe(' Did you mean "truncate"? Known: extract, truncate.');
    expect(didYouMean("zebra", ["b", "a"])).toBe(" Known: a, b.");
    expect(didYouMean("zebra", [])).toBe(" None are known.");
  });
});
