import type { Symbols } from "../bit-masks.js";
import type { CommonSubsequence } from "./lcs.js";
import { LineIndex } from "./line-index.js";
import { type Measure, measureOf } from "./measure.js";
import type { NumberedText } from "./words.js";

/**
 * ROUGE-Lsum: each line of the gold is compared with every line of the response, and the words of it that are in any
 * of those longest common subsequences are hits, each word at most as often as it occurs in the response.
 */
export function summaryLevel(gold: NumberedText, response: NumberedText, common: CommonSubsequence): Measure {
  const left = countsOf(response.all, common.symbols);
  const index = new LineIndex(response.lines, common.symbols);
  let hits = 0;
  for (const line of gold.lines) {
    const marked = unionOf(line, index, common.load(line));
    for (let place = 0; place < line.length; place++) {
      if (marked[place] === 1 && takeOne(left, line[place] ?? 0)) hits += 1;
    }
  }
  return measureOf(hits, gold.all.length, response.all.length);
}

/**
 * The places of a line that are in a longest common subsequence with any line of the index. Only a line that has the
 * word of a place can mark it, so that for a rare word few lines are compared and for a common one the first will do.
 */
function unionOf(line: Symbols, index: LineIndex, common: CommonSubsequence): Uint8Array {
  const marked = new Uint8Array(line.length);
  index.startOver();
  for (let place = 0; place < line.length; place++) {
    while (marked[place] === 0) {
      const other = index.nextWith(line[place] ?? 0);
      if (other === null) break;
      common.mark(other, marked);
    }
  }
  return marked;
}

function takeOne(left: Int32Array, symbol: number): boolean {
  const count = left[symbol] ?? 0;
  if (count === 0) return false;
  left[symbol] = count - 1;
  return true;
}

function countsOf(sequence: Symbols, symbols: number): Int32Array {
  const counts = new Int32Array(symbols);
  for (const symbol of sequence) counts[symbol] = (counts[symbol] ?? 0) + 1;
  return counts;
}
