/** The part of a list that comes most often in a row. */
export interface Repeats {
  /** How often it comes in a row: 1 when nothing is repeated, 0 for an empty list. */
  readonly times: number;
  /** Where the first of it begins. */
  readonly start: number;
  /** How many items it has: 1 for one that is repeated, 2 for two that take turns. */
  readonly period: number;
}

/**
 * What comes most often in a row in a list: an item, or a cycle of up to `longestPeriod` items. Of several that come
 * equally often it is the shortest, and the first of those.
 * @example
 * mostRepeated(["a", "b", "a", "b", "a", "b", "c"], 2); // { times: 3, start: 0, period: 2 }
 */
export function mostRepeated(items: readonly unknown[], longestPeriod: number): Repeats {
  let best: Repeats = { times: items.length === 0 ? 0 : 1, start: 0, period: 1 };
  for (let period = 1; period <= Math.min(longestPeriod, items.length / 2); period++) {
    const found = repeatsOf(items, period);
    if (found.times > best.times) best = found;
  }
  return best;
}

function repeatsOf(items: readonly unknown[], period: number): Repeats {
  let [longest, start, same] = [0, 0, 0];
  for (let i = period; i < items.length; i++) {
    same = items[i] === items[i - period] ? same + 1 : 0;
    if (same <= longest) continue;
    longest = same;
    start = i - same - period + 1;
  }
  return { times: Math.floor(longest / period) + 1, start, period };
}
