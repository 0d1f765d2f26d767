import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bm25 } from "../systems/compressors/bm25.js";
import { Bm25Index } from "./bm25-index.js";

/** The formula, written down word by word and summed in the most obvious way. */
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

describe("Bm25Index", () => {
  const word = fc.constantFrom("fox", "cat", "red", "8", "may", "2023", "ähre", "tea");
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));

  it("scores by the formula, as a naive program does", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 15 }), (query, passages) => {
        const index = new Bm25Index(passages);
        const scores = index.scores(query);
        const wanted = naive(query, passages);
        const elsewhere = bm25(query, passages);
        for (const [i, score] of wanted.entries()) {
          expect(scores.get(i) ?? 0).toBeCloseTo(score, 10);
          expect(elsewhere[i]).toBeCloseTo(score, 10);
        }
      }),
    );
  });

  it("gives the best passages that have anything of the query, in their order", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 15 }), fc.integer({ min: 1, max: 5 }), (query, passages, k) => {
        const index = new Bm25Index(passages);
        const scores = index.scores(query);
        const top = index.top(query, k);
        expect(top).toEqual([...top].sort((a, b) => a - b));
        expect(top.length).toBe(Math.min(k, scores.size));
        const least = Math.min(...top.map((i) => scores.get(i) ?? 0));
        for (const [i, score] of scores) if (!top.includes(i)) expect(score).toBeLessThanOrEqual(least);
      }),
    );
  });

  it("takes the earlier of equals", () => {
    expect(new Bm25Index(["x y", "a b", "a b", "a b"]).top("a", 2)).toEqual([1, 2]);
  });

  it("finds nothing for a query of unknown words, nor without passages", () => {
    expect(new Bm25Index(["a b"]).top("zebra", 3)).toEqual([]);
    expect(new Bm25Index([]).top("a", 3)).toEqual([]);
  });
});
