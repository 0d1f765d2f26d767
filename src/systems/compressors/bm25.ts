const K1 = 1.2;
const B = 0.75;
const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text as BM25 compares them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/**
 * How well each passage answers a query: Okapi BM25 (k1 = 1.2, b = 0.75) over the passages themselves.
 * @example
 * bm25("red fox", ["A red fox.", "A grey cat."]); // [0.98…, 0]
 */
export function bm25(query: string, passages: readonly string[]): number[] {
  const terms = new Map([...new Set(wordsOf(query))].map((term, index) => [term, index]));
  const found = passages.map((passage) => countTerms(passage, terms));
  const averageLength = found.reduce((sum, { length }) => sum + length, 0) / Math.max(1, found.length);
  const weights = inverseFrequencies(found, terms.size);
  return found.map(({ counts, length }) => {
    const norm = K1 * (1 - B + (B * length) / Math.max(1, averageLength));
    let score = 0;
    for (const [term, count] of counts) score += ((weights[term] ?? 0) * count * (K1 + 1)) / (count + norm);
    return score;
  });
}

/** Positions from best score to worst; equal scores keep the order of the text. */
export function ranked(scores: readonly number[]): number[] {
  return scores.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
}

interface TermCounts {
  /** Of the query's terms only, by their number. */
  counts: Map<number, number>;
  length: number;
}

function countTerms(passage: string, terms: ReadonlyMap<string, number>): TermCounts {
  const words = wordsOf(passage);
  const counts = new Map<number, number>();
  for (const word of words) {
    const term = terms.get(word);
    if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return { counts, length: words.length };
}

function inverseFrequencies(found: readonly TermCounts[], terms: number): number[] {
  const passagesWith = Array.from({ length: terms }, () => 0);
  for (const { counts } of found) for (const term of counts.keys()) passagesWith[term] = (passagesWith[term] ?? 0) + 1;
  return passagesWith.map((n) => Math.log(1 + (found.length - n + 0.5) / (n + 0.5)));
}
