import type { BudgetReceipt, JsonSummary, Timing } from "../core/result.js";
import type { TrialCounts } from "../core/trial-counts.js";
import { FILES } from "./journal.js";
import { readRunFile } from "./run-file.js";

/** What is stored of a run beside its rows, from which it can always be worked out again. */
export interface StoredSummary {
  /** True when every planned trial is there, without an infrastructure error. */
  readonly complete: boolean;
  /** By system. */
  readonly summary: Readonly<Record<string, JsonSummary>>;
  readonly across: Readonly<Record<string, number | string | null>>;
  /** Null when the run never came to an end. */
  readonly timing: Timing | null;
  /** What was spent, of a run with a budget in dollars. */
  readonly budget?: BudgetReceipt;
  /** What the reader was told beside the figures. */
  readonly notes: readonly string[];
  /** By system; null in files of versions that did not count. */
  readonly counts: Readonly<Record<string, TrialCounts>> | null;
}

/** The summary of a run folder; null when there is none that can be read, as in a run that was killed. */
export function readSummary(dir: string): StoredSummary | null {
  try {
    const stored: unknown = JSON.parse(readRunFile(dir, FILES.summary));
    return typeof stored === "object" && stored !== null ? wholeSummary(stored) : null;
  } catch {
    return null;
  }
}

function wholeSummary(stored: Partial<StoredSummary>): StoredSummary {
  const { complete, summary, across, timing, budget, notes, counts } = stored;
  return {
    complete: complete === true,
    summary: summary ?? {},
    across: across ?? {},
    // Older files have none for each system.
    timing:
      typeof timing?.wallSeconds === "number"
        ? { ...timing, wallSecondsBySystem: timing.wallSecondsBySystem ?? {} }
        : null,
    ...(typeof budget?.spentUsd === "number" && { budget }),
    notes: Array.isArray(notes) ? notes.map(String) : [],
    counts: counts != null && Object.values(counts).every(isCounted) ? counts : null,
  };
}

function isCounted(counts: Partial<TrialCounts> | null): boolean {
  return typeof counts?.outcomes === "object" && counts.outcomes !== null;
}

/**
 * Whether every planned trial came to an end, be it an error: there is nothing that was never run. A run that is over for
 * other reasons is complete whatever it holds.
 */
export function hasEnded({ complete, counts }: Pick<StoredSummary, "complete" | "counts">, planned: number): boolean {
  return complete || doneIn(counts ?? {}) >= planned;
}

/** How many trials have come to an end. */
export function doneIn(counts: NonNullable<StoredSummary["counts"]>): number {
  return Object.values(counts).reduce((done, { trials, outcomes }) => done + trials - outcomes.skipped, 0);
}

/** True when a run folder holds every planned trial without an infrastructure error. */
export function isComplete(dir: string): boolean {
  return readSummary(dir)?.complete === true;
}
