import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bm25, rankScores, splitBm25Words } from "./bm25.js";

/** A direct implementation of the formula. */
function naive(query: string, passages: readonly string[]): number[] {
  const split = (text: string) => text.split(" ").filter((word) => word !== "");
  const documents = passages.map(split);
  const average = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(1, documents.length);
  return documents.map((words) => {
    let score = 0;
    for (const term of new Set(split(query))) {
      const tf = words.filter((word) => word === term).length;
      const n = documents.filter((other) => other.includes(term)).length;
      const idf = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
      score += (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * words.length) / Math.max(1, average)));
    }
    return score;
  });
}

describe("Bm25", () => {
  it("matches the formula, worked out by hand", () => {
    // N = 2, both passages 3 words; "red" and "fox" are in one of them: idf = ln(1 + 1.5 / 1.5) = ln 2,
    // tf = 1 · 2.2 / (1 + 1.2) = 1. "a" is in both: idf = ln(1 + 0.5 / 2.5).
    const [first, second] = new Bm25(["A red fox.", "A grey cat."]).score("a red fox");
    expect(first).toBeCloseTo(2 * Math.log(2) + Math.log(1.2), 12);
    expect(second).toBeCloseTo(Math.log(1.2), 12);
  });

  it("prefers shorter passages that match equally, and rare words over common ones", () => {
    const [short = 0, long = 0] = new Bm25(["The fox.", "The fox went to the river and back again."]).score("fox");
    expect(short).toBeGreaterThan(long);
    const [common = 0, rare = 0] = new Bm25(["the the the", "one otter", "the end", "the day"]).score("the otter");
    expect(rare).toBeGreaterThan(common);
  });

  it("counts a repeated query word once, and returns 0 without a match, a query or passages", () => {
    expect(new Bm25(["fox", "cat"]).score("fox fox")).toEqual(new Bm25(["fox", "cat"]).score("fox"));
    expect(new Bm25(["cat", ""]).score("fox")).toEqual([0, 0]);
    expect(new Bm25(["cat"]).score("")).toEqual([0]);
    expect(new Bm25([]).score("fox")).toEqual([]);
  });

  it("ranks best first and keeps the order of ties", () => {
    expect(rankScores([0, 2, 1, 2, 0])).toEqual([1, 3, 2, 0, 4]);
  });

  it("treats letters and digits of any script as words", () => {
    expect(splitBm25Words("Café-Bar №7: O'Neil")).toEqual(["café", "bar", "7", "o", "neil"]);
  });

  const word = fc.constantFrom("fox", "cat", "red", "8", "may", "2023", "ähre", "tea");
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));

  it("agrees with a naive implementation", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 15 }), (query, passages) => {
        const scores = new Bm25(passages).score(query);
        expect(scores.length).toBe(passages.length);
        for (const [i, score] of naive(query, passages).entries()) expect(scores[i]).toBeCloseTo(score, 10);
      }),
    );
  });

  it("returns the best passages with a word of the query, in their order", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 15 }), fc.integer({ min: 1, max: 5 }), (query, passages, k) => {
        const index = new Bm25(passages);
        const scores = index.score(query);
        const top = index.findTop(query, k);
        expect(top).toEqual([...top].sort((a, b) => a - b));
        expect(top.length).toBe(Math.min(k, scores.filter((score) => score > 0).length));
        const least = Math.min(...top.map((i) => scores[i] ?? 0));
        for (const [i, score] of scores.entries()) if (!top.includes(i)) expect(score).toBeLessThanOrEqual(least);
      }),
    );
  });

  it("prefers the earlier of ties", () => {
    expect(new Bm25(["x y", "a b", "a b", "a b"]).findTop("a", 2)).toEqual([1, 2]);
  });

  it("finds nothing for a query of unknown words or without passages", () => {
    expect(new Bm25(["a b"]).findTop("zebra", 3)).toEqual([]);
    expect(new Bm25([]).findTop("a", 3)).toEqual([]);
  });
});
