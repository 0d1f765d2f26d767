import type { Symbols } from "./bit-masks.js";
import { editDistance } from "./edit-distance.js";

/** What is compared. */
export interface SimilarityInput {
  golds: readonly string[];
  response: string;
}

/** 1 for a response equal to a gold, 0 for one that has nothing of any: the best of the golds. */
export function bestSimilarity({ golds, response }: SimilarityInput): number {
  const numbers = new CharacterNumbers();
  const answer = numbers.number(response);
  let best = 0;
  for (const gold of golds.map((text) => numbers.number(text))) {
    const longer = Math.max(gold.length, answer.length);
    // However alike they are, the distance is at least the difference of the lengths.
    if (Math.min(gold.length, answer.length) / longer <= best) continue;
    best = Math.max(best, 1 - editDistance(gold, answer, numbers.size) / longer);
  }
  return best;
}

/** Numbers characters, so that a table by character has room for those that occur and no others. */
class CharacterNumbers {
  readonly #numbers = new Map<number, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** By code point: a character outside of the basic plane is one, though it takes two units of a string. */
  number(text: string): Symbols {
    const all = new Int32Array(text.length);
    let length = 0;
    for (let at = 0; at < text.length; length++) {
      const point = text.codePointAt(at) ?? 0;
      all[length] = this.#numberOf(point);
      at += point > 0xffff ? 2 : 1;
    }
    return all.subarray(0, length);
  }

  #numberOf(point: number): number {
    const known = this.#numbers.get(point);
    if (known !== undefined) return known;
    this.#numbers.set(point, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
