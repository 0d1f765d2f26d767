import type { TrialKey } from "../../core/row.js";
import type { KeptTrial } from "./collect.js";
import { grouped } from "./grouped.js";

type Numbered = Pick<KeptTrial, "index" | "wanted"> & { readonly row: Omit<TrialKey, "trial"> };

function slotOf({ row }: Numbered): string {
  return JSON.stringify([row.system, row.dataset, row.exampleId]);
}

/**
 * Numbers the trials of each example from 0, by the numbers that the file gives them, or else in the order they were
 * found. There are no gaps: a number of a million in a file would be a million trials that were never run.
 */
export function trialNumbers(kept: readonly Numbered[]): Map<number, number> {
  const slots = grouped(kept, slotOf);
  const numbers = new Map<number, number>();
  for (const trials of slots.values()) {
    const inOrder = trials.toSorted((a, b) => (a.wanted ?? a.index) - (b.wanted ?? b.index) || a.index - b.index);
    for (const [number, { index }] of inOrder.entries()) numbers.set(index, number);
  }
  return numbers;
}
