import type { Symbols } from "./bit-masks.js";

/** Two sequences without what both begin and end with, and how much that is: texts that are compared often share much. */
export function withoutSharedEnds(left: Symbols, right: Symbols): { rest: [Symbols, Symbols]; shared: number } {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  const rest: [Symbols, Symbols] = [left.subarray(start, left.length - end), right.subarray(start, right.length - end)];
  return { rest, shared: start + end };
}
