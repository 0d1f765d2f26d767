import { distance } from "fastest-levenshtein";

/** Compares long texts in a worker thread. */
export function run(input: unknown): unknown {
  return computeBestSimilarity(input as SimilarityInput);
}

export interface SimilarityInput {
  golds: readonly string[];
  response: string;
}

/** Between 0 and 1 (equal); the best of the golds counts. */
export function computeBestSimilarity({ golds, response }: SimilarityInput): number {
  const [answer = "", ...others] = encodeCodePoints([response, ...golds]);
  let best = 0;
  for (const gold of others) {
    const longer = Math.max(gold.length, answer.length);
    // The distance is at least the difference of the lengths.
    if (Math.min(gold.length, answer.length) / longer <= best) continue;
    best = Math.max(best, 1 - distance(...trimSharedEnds(gold, answer)) / longer);
  }
  return best;
}

/** Encodes each code point as one UTF-16 unit, because the library compares units. */
function encodeCodePoints(texts: readonly string[]): readonly string[] {
  if (!texts.some((text) => /[\ud800-\udfff]/.test(text))) return texts;
  const units = new Map<string, string>();
  const encode = (character: string): string => {
    const known = units.get(character) ?? String.fromCharCode(units.size);
    units.set(character, known);
    return known;
  };
  return texts.map((text) => Array.from(text, encode).join(""));
}

/** Compared texts often share much, and comparing takes quadratic time. */
function trimSharedEnds(left: string, right: string): [string, string] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return [left.slice(start, left.length - end), right.slice(start, right.length - end)];
}
