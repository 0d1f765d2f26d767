import type { HistoryAdjustment } from "./history-adjustment.js";
import type { LabelEstimate } from "./label-correction.js";

/** A figure of a system, or a difference of two, with the mix of its strata held fixed. */
export interface StratifiedFigure {
  system: string;
  metric: HistoryAdjustment["metric"];
  tasks: number;
  /** In the order of the rows. */
  strata: readonly { value: string; tasks: number; share: number; mean: number }[];
  plain: LabelEstimate | null;
  /** Null if it cannot be computed. */
  stratified: LabelEstimate | null;
  /** By which share the interval became narrower; negative if it became wider. */
  narrower: number | null;
  /** Why it is null. */
  reason: string | null;
}

/** Figures by the strata of a facet, such as the subject of a task. */
export interface StratifiedFigures {
  facet: string;
  systems: readonly StratifiedFigure[];
}
