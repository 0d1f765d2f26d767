import { describe, expect, it } from "vitest";
import { bm25, ranked, wordsOf } from "./bm25.js";

describe("bm25", () => {
  it("equals the formula, worked out by hand", () => {
    // N = 2, both passages 3 words; "red" and "fox" are in one of them: idf = ln(1 + 1.5 / 1.5) = ln 2,
    // tf = 1 · 2.2 / (1 + 1.2) = 1. "a" is in both: idf = ln(1 + 0.5 / 2.5).
    const [first, second] = bm25("a red fox", ["A red fox.", "A grey cat."]);
    expect(first).toBeCloseTo(2 * Math.log(2) + Math.log(1.2), 12);
    expect(second).toBeCloseTo(Math.log(1.2), 12);
  });

  it("prefers the shorter of two passages that match alike, and rare words to common ones", () => {
    const [short = 0, long = 0] = bm25("fox", ["The fox.", "The fox went to the river and back again."]);
    expect(short).toBeGreaterThan(long);
    const [common = 0, rare = 0] = bm25("the otter", ["the the the", "one otter", "the end", "the day"]);
    expect(rare).toBeGreaterThan(common);
  });

  it("counts a repeated query word once, and gives 0 without a match, a query or passages", () => {
    expect(bm25("fox fox", ["fox", "cat"])).toEqual(bm25("fox", ["fox", "cat"]));
    expect(bm25("fox", ["cat", ""])).toEqual([0, 0]);
    expect(bm25("", ["cat"])).toEqual([0]);
    expect(bm25("fox", [])).toEqual([]);
  });

  it("ranks best first and keeps the order of equals", () => {
    expect(ranked([0, 2, 1, 2, 0])).toEqual([1, 3, 2, 0, 4]);
  });

  it("takes letters and digits of any script as words", () => {
    expect(wordsOf("Café-Bar №7: O'Neil")).toEqual(["café", "bar", "7", "o", "neil"]);
  });
});
