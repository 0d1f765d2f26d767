import { wordsOf } from "../systems/compressors/bm25.js";

const K1 = 1.2;
const B = 0.75;

/**
 * Passages that can be searched by Okapi BM25. The score of passage d for a query is the sum over its distinct words t
 * of idf(t) · tf · (k1 + 1) ÷ (tf + k1 · (1 − b + b · |d| ÷ avg)), with k1 = 1.2 and b = 0.75; tf is how often t stands
 * in d, |d| the number of words of d, avg the mean of |d| (at least 1), idf(t) = ln(1 + (N − n + 0.5) ÷ (n + 0.5)), N
 * the number of passages, n of those with t.
 * @example
 * new Bm25Index(["A red fox.", "A grey cat."]).top("red fox", 1); // [0]
 */
export class Bm25Index {
  readonly #lengths: number[];
  readonly #averageLength: number;
  /** For each word the passages that have it, and how often. */
  readonly #places = new Map<string, Map<number, number>>();

  constructor(passages: readonly string[]) {
    this.#lengths = passages.map((passage, index) => this.#add(wordsOf(passage), index));
    const total = this.#lengths.reduce((sum, length) => sum + length, 0);
    this.#averageLength = Math.max(1, total / Math.max(1, passages.length));
  }

  /** The score of every passage that has a word of the query. */
  scores(query: string): Map<number, number> {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query))) {
      const places = this.#places.get(word) ?? new Map<number, number>();
      const weight = Math.log(1 + (this.#lengths.length - places.size + 0.5) / (places.size + 0.5));
      for (const [passage, count] of places)
        scores.set(passage, (scores.get(passage) ?? 0) + weight * this.#gain(passage, count));
    }
    return scores;
  }

  /** The positions of the best `k` passages that have anything of the query, ascending; of equals the earlier. */
  top(query: string, k: number): number[] {
    const best = [...this.scores(query)].sort(([a, scoreOfA], [b, scoreOfB]) => scoreOfB - scoreOfA || a - b);
    return best
      .slice(0, k)
      .map(([passage]) => passage)
      .sort((a, b) => a - b);
  }

  #gain(passage: number, count: number): number {
    const norm = K1 * (1 - B + (B * (this.#lengths[passage] ?? 0)) / this.#averageLength);
    return (count * (K1 + 1)) / (count + norm);
  }

  #add(words: readonly string[], passage: number): number {
    for (const word of words) {
      const places = this.#places.get(word) ?? new Map<number, number>();
      this.#places.set(word, places.set(passage, (places.get(passage) ?? 0) + 1));
    }
    return words.length;
  }
}
