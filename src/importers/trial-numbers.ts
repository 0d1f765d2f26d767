import type { KeptTrial } from "./collect.js";
import { grouped } from "./grouped.js";

/**
 * Numbers the trials of each example from 0, by the numbers that the file gives them, or else in the order they were
 * found. There are no gaps: a number of a million in a file would be a million trials that were never run.
 */
export function trialNumbers(kept: readonly Pick<KeptTrial, "index" | "slot" | "wanted">[]): Map<number, number> {
  const slots = grouped(kept, ({ slot }) => slot);
  const numbers = new Map<number, number>();
  for (const trials of slots.values()) {
    const inOrder = trials.toSorted((a, b) => (a.wanted ?? a.index) - (b.wanted ?? b.index) || a.index - b.index);
    for (const [number, { index }] of inOrder.entries()) numbers.set(index, number);
  }
  return numbers;
}
