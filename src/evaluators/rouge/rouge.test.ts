import { readFileSync } from "node:fs";
import fc from "fast-check";
import * as jsRouge from "js-rouge";
import { describe, expect, it } from "vitest";
import {
  computeRouge,
  countCommon,
  markCommon,
  type RougeInput,
  type RougeMeasure,
  type RougeScores,
  stemWord,
} from "./rouge.js";

/** Precision, recall and F-measure by kind. */
type Figures = Record<keyof RougeScores, [number, number, number]>;

interface Reference {
  /** Figures of Google's rouge_score 0.1.2 with NLTK's stemmer, for texts written for this test. */
  cases: (RougeInput & { expected: Figures })[];
  stems: Record<string, string>;
}

const reference = JSON.parse(readFileSync(new URL("reference-figures.json", import.meta.url), "utf8")) as Reference;

const figures = ({ precision, recall, f1 }: RougeMeasure) => [precision, recall, f1];

function compare(gold: string, response: string, stem = false): RougeScores {
  const found = computeRouge({ golds: [gold], response, stem });
  if (found === null) throw new Error(`no word in ${gold}`);
  return found;
}

describe("computeRouge", () => {
  it("gives the published figures", () => {
    const { rougeL, rouge2 } = compare("testing one two", "testing two");
    expect(figures(rougeL)).toEqual([1, 2 / 3, 0.8]);
    expect(figures(rouge2)).toEqual([0, 0, 0]);
    const { rougeLsum } = compare("w1 w2 w3 w4 w5", "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5");
    expect(figures(rougeLsum)).toEqual([0.4, 0.8, (2 * 0.4 * 0.8) / (0.4 + 0.8)]);
    expect(figures(compare("testing one two", "testing").rouge1)).toEqual([1, 1 / 3, 0.5]);
    expect(figures(compare("testing one two", "testing one").rouge2)).toEqual([1, 0.5, 2 / 3]);
  });

  it.each(reference.cases.map((each, number) => [number, each] as const))(
    "equals the reference in case %i",
    (_, each) => {
      const found = computeRouge(each);
      for (const kind of ["rouge1", "rouge2", "rougeL", "rougeLsum"] as const)
        expect([kind, found && figures(found[kind])]).toEqual([kind, each.expected[kind]]);
    },
  );

  it("is null if no gold has a word, and ignores golds without one", () => {
    expect(computeRouge({ golds: ["…", "日本語"], response: "word", stem: false })).toBeNull();
    expect(computeRouge({ golds: ["…", "word"], response: "word", stem: false })?.rougeL.f1).toBe(1);
  });

  it("agrees with js-rouge on lines of plain words", () => {
    const words = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1, maxLength: 80 });
    const options = { tokenizer: (text: string) => text.split(" "), segmenter: (text: string) => [text] };
    fc.assert(
      fc.property(words, words, (gold, response) => {
        const [a, b] = [gold.join(" "), response.join(" ")];
        const found = compare(a, b);
        expect(found.rougeL.f1).toBeCloseTo(jsRouge.l(b, a, options), 12);
        expect(found.rouge1.f1).toBeCloseTo(jsRouge.n(b, a, { ...options, n: 1 }), 12);
        if (Math.min(gold.length, response.length) > 1)
          expect(found.rouge2.f1).toBeCloseTo(jsRouge.n(b, a, { ...options, n: 2 }), 12);
      }),
      { numRuns: 200 },
    );
  });

  it("handles a megabyte of one character, or of one word", () => {
    for (const text of ["a".repeat(1_000_000), " ".repeat(1_000_000), "\n".repeat(1_000_000), "y".repeat(100_000)]) {
      expect(compare("a word", text, true).rougeL.f1).toBe(0);
      expect(compare("a word", `${text} word`, true).rougeL.recall).toBe(0.5);
    }
    expect(compare("a word", "a ".repeat(500_000)).rouge1.recall).toBe(0.5);
  });

  it("compares texts of ten thousand words", () => {
    const gold = Array.from({ length: 10_000 }, (_, at) => `w${(at * 7919) % 3001}`);
    const response = gold.filter((_, at) => at % 10 !== 0);
    const found = compare(gold.join(" "), response.join(" "));
    expect([found.rougeL.recall, found.rougeLsum.recall]).toEqual([0.9, 0.9]);
  });
});

/** Like Google's rouge_score: a table, and the way back through it. */
function slowly(sequence: readonly number[], other: readonly number[]): { length: number; places: number[] } {
  const table = Array.from({ length: sequence.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  const at = (i: number, j: number) => table[i]?.[j] ?? 0;
  for (let i = 1; i <= sequence.length; i++)
    for (let j = 1; j <= other.length; j++)
      (table[i] as number[])[j] =
        sequence[i - 1] === other[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
  const places: number[] = [];
  for (let i = sequence.length, j = other.length; i > 0 && j > 0; ) {
    if (sequence[i - 1] === other[j - 1]) {
      places.unshift(--i);
      j--;
    } else if (at(i, j - 1) > at(i - 1, j)) j--;
    else i--;
  }
  return { length: at(sequence.length, other.length), places };
}

describe("countCommon and markCommon", () => {
  const sequences = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 140 });

  it("find the length and the same positions as rouge_score", () => {
    fc.assert(
      fc.property(sequences, sequences, (sequence, other) => {
        const expected = slowly(sequence, other);
        const [a, b] = [Int32Array.from(sequence), Int32Array.from(other)];
        const marked = new Uint8Array(a.length);
        markCommon(a, b, marked);
        expect(countCommon(a, b)).toBe(expected.length);
        expect([...marked.keys()].filter((place) => marked[place] === 1)).toEqual(expected.places);
      }),
      { numRuns: 300 },
    );
  });
});

describe("stemWord", () => {
  it.each(Object.entries(reference.stems))("turns %s into %s", (word, stem) => {
    expect(stemWord(word)).toBe(stem);
  });
});
