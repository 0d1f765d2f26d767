import type { BudgetReceipt, JsonSummary, SequentialReport, Timing, TrialCounts } from "../core/index.js";
import { RUN_FILES } from "./journal.js";
import { readRunFile } from "./run-file.js";

/** The stored summary of a run; it can always be recomputed from the rows. */
export interface StoredSummary {
  /** True if every planned trial has a row without an infrastructure error. */
  readonly complete: boolean;
  /** By system. */
  readonly summary: Readonly<Record<string, JsonSummary>>;
  readonly across: Readonly<Record<string, number | string | null>>;
  /** Null if the run never finished. */
  readonly timing: Timing | null;
  /** The spending of a run with a budget in dollars. */
  readonly budget?: BudgetReceipt;
  /** What a run that may stop before its last task has decided. */
  readonly sequential?: SequentialReport;
  /** Notes for the reader. */
  readonly notes: readonly string[];
  /** By system; null in files of versions without counts. */
  readonly counts: Readonly<Record<string, TrialCounts>> | null;
}

/** Reads the summary of a run folder; null if it is missing or unreadable, as after a kill. */
export function readSummary(dir: string): StoredSummary | null {
  try {
    const stored: unknown = JSON.parse(readRunFile(dir, RUN_FILES.summary));
    return typeof stored === "object" && stored !== null ? normalizeSummary(stored) : null;
  } catch {
    return null;
  }
}

function normalizeSummary(stored: Partial<StoredSummary>): StoredSummary {
  const { complete, summary, across, timing, budget, sequential, notes, counts } = stored;
  return {
    complete: complete === true,
    summary: summary ?? {},
    across: across ?? {},
    // Older files have no times per system.
    timing:
      typeof timing?.wallSeconds === "number"
        ? { ...timing, wallSecondsBySystem: timing.wallSecondsBySystem ?? {} }
        : null,
    ...(typeof budget?.spentUsd === "number" && { budget }),
    ...(typeof sequential?.isDecided === "boolean" && { sequential }),
    notes: Array.isArray(notes) ? notes.map(String) : [],
    counts: counts != null && Object.values(counts).every(hasOutcomeCounts) ? counts : null,
  };
}

function hasOutcomeCounts(counts: Partial<TrialCounts> | null): boolean {
  return typeof counts?.outcomes === "object" && counts.outcomes !== null;
}

/** Whether every planned trial has finished, even with an error. A run marked as complete counts as ended whatever it holds. */
export function hasRunEnded(
  { complete, counts }: Pick<StoredSummary, "complete" | "counts">,
  planned: number,
): boolean {
  return complete || countFinishedTrials(counts ?? {}) >= planned;
}

export function countFinishedTrials(counts: NonNullable<StoredSummary["counts"]>): number {
  return Object.values(counts).reduce((done, { trials, outcomes }) => done + trials - outcomes.skipped, 0);
}

/** True if a run folder has every planned trial without an infrastructure error. */
export function isRunComplete(dir: string): boolean {
  return readSummary(dir)?.complete === true;
}
