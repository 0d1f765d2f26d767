const K1 = 1.2;
const B = 0.75;
const WORD = /[\p{L}\p{N}]+/gu;

/** Splits a text into lowercase words, the terms of BM25. */
export function splitBm25Words(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Indexes from best score to worst; ties keep their order. */
export function rankScores(scores: readonly number[]): number[] {
  return scores.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
}

/**
 * An Okapi BM25 index of passages. The score of passage d for a query is the sum over its distinct words t of
 * idf(t) · tf · (k1 + 1) ÷ (tf + k1 · (1 − b + b · |d| ÷ avg)), with k1 = 1.2 and b = 0.75; tf is the count of t in d,
 * |d| the number of words of d, avg the mean of |d| (at least 1), idf(t) = ln(1 + (N − n + 0.5) ÷ (n + 0.5)), N the
 * number of passages, and n the number of passages with t.
 * @example
 * new Bm25(["A red fox.", "A grey cat."]).score("red fox"); // [1.38…, 0]
 */
export class Bm25 {
  readonly #passages: readonly (readonly string[])[];
  readonly #averageLength: number;

  constructor(passages: readonly string[]) {
    this.#passages = passages.map(splitBm25Words);
    const total = this.#passages.reduce((sum, { length }) => sum + length, 0);
    this.#averageLength = Math.max(1, total / Math.max(1, passages.length));
  }

  /** The score of each passage for a query; 0 for a passage without any of its words. */
  score(query: string): number[] {
    const terms = new Set(splitBm25Words(query));
    const counts = this.#passages.map((words) => countTerms(words, terms));
    const weights = this.#weighTerms(terms, counts);
    return counts.map((inPassage, index) => {
      const norm = K1 * (1 - B + (B * (this.#passages[index]?.length ?? 0)) / this.#averageLength);
      let score = 0;
      for (const [term, count] of inPassage) score += ((weights.get(term) ?? 0) * count * (K1 + 1)) / (count + norm);
      return score;
    });
  }

  /** The indexes of the best `k` passages with a word of the query, ascending; ties go to the earlier one. */
  findTop(query: string, k: number): number[] {
    const scores = this.score(query);
    const found = rankScores(scores).filter((index) => (scores[index] ?? 0) > 0);
    return found.slice(0, k).sort((a, b) => a - b);
  }

  #weighTerms(terms: ReadonlySet<string>, counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
    const weigh = (n: number) => Math.log(1 + (this.#passages.length - n + 0.5) / (n + 0.5));
    return new Map(Array.from(terms, (term) => [term, weigh(counts.filter((found) => found.has(term)).length)]));
  }
}

function countTerms(words: readonly string[], terms: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (terms.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
