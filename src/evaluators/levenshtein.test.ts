import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { Levenshtein, type LevenshteinOptions } from "./levenshtein.js";
import { computeBestSimilarity } from "./levenshtein-task.js";

function similarity(gold: Partial<Example> | string, response: string, options: LevenshteinOptions = {}): number {
  const example = { id: 1, question: "q", ...(typeof gold === "string" ? { answer: gold } : gold) };
  return (new Levenshtein(options).score(example, { response }) as Scores).levenshtein ?? -1;
}

/** The dynamic-programming table, row by row. */
function countEdits(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe("computeBestSimilarity", () => {
  it.each([
    ["letters", ["a", "b", "c", "d", "e"]],
    ["characters outside of the basic plane", ["a", "b", "\ud83d", "😀", "🎉"]],
  ])("equals the table, for %s", (_, characters) => {
    const texts = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 150 });
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const longer = Math.max(Array.from(left).length, Array.from(right).length);
        expect(computeBestSimilarity({ golds: [left], response: right })).toBe(1 - countEdits(left, right) / longer);
      }),
      { numRuns: 300 },
    );
  });

  it("equals the table at a 32-bit word boundary", () => {
    const write = (length: number, step: number) => Array.from({ length }, (_, i) => "abcde"[(i * step) % 5]).join("");
    for (const length of [31, 32, 33, 63, 64, 65, 96]) {
      const [left, right] = [write(length, 7), write(length + 1, 3)];
      const similarity = computeBestSimilarity({ golds: [left], response: right });
      expect(similarity).toBe(1 - countEdits(left, right) / (length + 1));
    }
  });
});

describe("Levenshtein", () => {
  it.each([
    ["kitten", "sitting", 1 - 3 / 7],
    ["flaw", "lawn", 0.5],
    ["same", "same", 1],
    ["abc", "xyz", 0],
    ["abc", "", 0],
    ["Paris", "paris", 0.8],
    ["a b", "a  b", 0.75],
    ["héllo", "hello", 0.8],
    // One character each, though two UTF-16 units.
    ["😀😀", "😀🎉", 0.5],
    ["👍", "a", 0],
  ])("scores gold %j against %j", (gold, response, expected) => {
    expect(similarity(gold, response)).toBeCloseTo(expected, 12);
  });

  it("uses the best gold", () => {
    expect(similarity({ answer: "abcdef", answers: ["xyz", "abc", "zzzzzzzzzzzzz"] }, "abd")).toBeCloseTo(2 / 3, 12);
    expect(similarity({ answers: ["no", "yes"] }, "yes")).toBe(1);
  });

  it("ignores case and white space if configured", () => {
    expect(similarity("Paris", "pARIS", { caseSensitive: false })).toBe(1);
    expect(similarity("a b", " a\n\t b ", { normalizeSpace: true })).toBe(1);
    expect(similarity("A b", "a  B", { normalizeSpace: true })).toBeCloseTo(1 / 3, 12);
  });

  it("leaves an example without a gold unscored, and reads null as an empty response", () => {
    const { scores, unscored } = new Levenshtein().score(
      { id: 1, question: "q", answer: " " },
      { response: "x" },
    ) as ScoredWithEvidence;
    expect(scores).toEqual({});
    expect(unscored?.levenshtein).toMatch(/no gold answer/);
    const output = { response: null as unknown as string };
    expect(new Levenshtein().score({ id: 1, question: "q", answer: "null" }, output)).toEqual({ levenshtein: 0 });
  });

  it("is symmetric and lies between 0 and 1", () => {
    const texts = fc.string({ minLength: 1, unit: fc.constantFrom("a", "b", "é", "😀", " ", "\ud83d", "\n") });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        fc.pre(a.trim() !== "" && b.trim() !== "");
        const found = similarity(a, b);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(found).toBe(similarity(b, a));
        expect(found === 1).toBe(a === b);
      }),
    );
  });

  it("has its options in the fingerprint, and rejects invalid ones", () => {
    expect(new Levenshtein({ normalizeSpace: true }).fingerprint()).toEqual({
      evaluator: "levenshtein",
      version: 1,
      caseSensitive: true,
      normalizeSpace: true,
    });
    const wrong = { caseSensitive: "no" } as unknown as LevenshteinOptions;
    expect(() => new Levenshtein(wrong)).toThrow(/caseSensitive.*true or false, not "no"/);
  });

  it("compares long texts in a thread", async () => {
    const gold = "lorem ipsum ".repeat(1000);
    const response = gold.replaceAll("m i", "m, i");
    const scored = new Levenshtein().score({ id: 1, question: "q", answer: gold }, { response });
    expect(scored).toBeInstanceOf(Promise);
    expect(await scored).toEqual({ levenshtein: 1 - 1000 / response.length });
  });

  it("leaves a timeout unscored", async () => {
    const hasty = new Levenshtein({ limitMs: 50 });
    const scored = hasty.score(
      { id: 1, question: "q", answer: "ab".repeat(400_000) },
      { response: "bca".repeat(300_000) },
    );
    expect(await scored).toEqual({ scores: {}, unscored: { levenshtein: expect.stringMatching(/50 ms/) } });
    expect(() => new Levenshtein({ limitMs: -1 })).toThrow(/limitMs/);
  });

  it("handles megabytes of one character", async () => {
    const long = "a".repeat(1_000_000);
    const example = { id: 1, question: "q", answer: "ab" };
    for (const options of [{}, { normalizeSpace: true, caseSensitive: false }]) {
      const evaluator = new Levenshtein(options);
      expect(await evaluator.score(example, { response: long })).toEqual({ levenshtein: 1 - 999_999 / 1_000_000 });
      const spaces = (await evaluator.score(example, { response: " ".repeat(1_000_000) })) as Scores;
      expect(spaces.levenshtein).toBe(0);
    }
    const same = await new Levenshtein().score({ id: 1, question: "q", answer: `${long}b` }, { response: `${long}c` });
    expect(same).toEqual({ levenshtein: 1 - 1 / 1_000_001 });
  });
});
