import { distance } from "fastest-levenshtein";

/** What is compared. */
export interface SimilarityInput {
  golds: readonly string[];
  response: string;
}

/** 1 for a response equal to a gold, 0 for one that has nothing of any: the best of the golds. */
export function bestSimilarity({ golds, response }: SimilarityInput): number {
  const [answer = "", ...others] = encodeCodePoints([response, ...golds]);
  let best = 0;
  for (const gold of others) {
    const longer = Math.max(gold.length, answer.length);
    // However alike they are, the distance is at least the difference of the lengths.
    if (Math.min(gold.length, answer.length) / longer <= best) continue;
    best = Math.max(best, 1 - distance(...trimSharedEnds(gold, answer)) / longer);
  }
  return best;
}

/** Writes each code point as one unit of a string, because the library compares units. */
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

/** Texts that are compared often share much, and comparing takes quadratic time. */
function trimSharedEnds(left: string, right: string): [string, string] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return [left.slice(start, left.length - end), right.slice(start, right.length - end)];
}
