import type { Symbols } from "./lcs.js";

/** Precision, recall and their harmonic mean. */
export interface Measure {
  precision: number;
  recall: number;
  f1: number;
}

const NOTHING: Measure = { precision: 0, recall: 0, f1: 0 };

/** What so many hits are worth, given the numbers of words, or pairs of words, of both texts. */
export function measureOf(hits: number, goldSize: number, responseSize: number): Measure {
  if (hits === 0) return NOTHING;
  const precision = hits / responseSize;
  const recall = hits / goldSize;
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

/** ROUGE-1: the words in common, each as often as it occurs in both. */
export function wordOverlap(gold: Symbols, response: Symbols): Measure {
  return measureOf(sharedCount(gold, response), gold.length, response.length);
}

/** ROUGE-2: the same of pairs of neighbouring words. */
export function pairOverlap(gold: Symbols, response: Symbols, symbols: number): Measure {
  const hits = sharedCount(pairsOf(gold, symbols), pairsOf(response, symbols));
  return measureOf(hits, gold.length - 1, response.length - 1);
}

/** Each pair as one number; doubles hold the square of any number of words there can be. */
function pairsOf(sequence: Symbols, symbols: number): Float64Array {
  const pairs = new Float64Array(Math.max(0, sequence.length - 1));
  for (let at = 0; at < pairs.length; at++) pairs[at] = (sequence[at] ?? 0) * symbols + (sequence[at + 1] ?? 0);
  return pairs;
}

function sharedCount(gold: Iterable<number>, response: Iterable<number>): number {
  const left = new Map<number, number>();
  for (const each of gold) left.set(each, (left.get(each) ?? 0) + 1);
  let shared = 0;
  for (const each of response) {
    const count = left.get(each);
    if (count === undefined || count === 0) continue;
    left.set(each, count - 1);
    shared += 1;
  }
  return shared;
}
