import { markCommon } from "./lcs.js";
import { type Measure, measureOf } from "./measure.js";
import type { NumberedText } from "./words.js";

/**
 * ROUGE-Lsum: each line of the gold is compared with every line of the response, and the words of it that are in any
 * of those longest common subsequences are hits, each word at most as often as it occurs in the response.
 */
export function summaryLevel(gold: NumberedText, response: NumberedText): Measure {
  const left = new Map<number, number>();
  for (const word of response.all) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const line of gold.lines) {
    const marked = new Uint8Array(line.length);
    for (const other of response.lines) markCommon(line, other, marked);
    for (const [place, word] of line.entries()) {
      const count = left.get(word) ?? 0;
      if (marked[place] === 0 || count === 0) continue;
      left.set(word, count - 1);
      hits += 1;
    }
  }
  return measureOf(hits, gold.all.length, response.all.length);
}
