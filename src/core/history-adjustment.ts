import type { LabelEstimate } from "./label-correction.js";

/** How a system did in one task of a stored run. */
export interface TaskRate {
  /** The name of the run folder. */
  readonly run: string;
  readonly system: string;
  readonly dataset: string;
  /** As text. */
  readonly exampleId: string;
  readonly passRate: number;
  readonly score: number | null;
}

/** A figure of a system on one dataset, or a difference of two, adjusted for how hard its tasks are by stored runs. */
export interface HistoryAdjustment {
  system: string;
  dataset: string;
  metric: "pass_rate" | "mean_score";
  /** Tasks with a value. */
  tasks: number;
  /** Of these, tasks that history has. */
  matched: number;
  /** All tasks that history has. */
  frame: number;
  /** By the tasks alone. */
  plain: LabelEstimate | null;
  /** Null if it was not adjusted. */
  adjusted: LabelEstimate | null;
  /** By which share the interval became narrower; negative if it became wider. */
  narrower: number | null;
  /** How many tasks would give the same interval without history. */
  worthTasks: number | null;
  /** The stored runs that tell how hard the tasks are. */
  runs: readonly string[];
  /** Why it was not adjusted; null if it was. */
  reason: string | null;
}

/** What stored runs add to a run or a comparison. */
export interface HistoryAdjustments {
  systems: readonly HistoryAdjustment[];
  /** Such as runs that were left out, and why. */
  notes: readonly string[];
}
