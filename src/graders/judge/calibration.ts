import type { OpenInterval } from "../../stats/index.js";
import type { JudgeScale } from "./scale.js";

/** A figure with its 95 % interval; null where it is not defined, without an interval where the items are too few. */
export interface Estimate extends OpenInterval {
  readonly value: number | null;
  /** The number of items, or of verdicts, it rests on. */
  readonly n: number;
}

/** How far a judge agrees with people. */
export interface JudgeAgreement {
  /** The share of items in the same category, with Wilson's interval. */
  readonly accuracy: Estimate;
  /** Cohen's kappa, with a bootstrap interval over items. */
  readonly kappa: Estimate;
  /** For scales with more than two values: kappa with quadratic weights. */
  readonly quadraticKappa: Estimate | null;
  /** The mean of judge − people, in points of the scale; null for pairs. */
  readonly meanDifference: Estimate | null;
  readonly categories: readonly string[];
  /** Counts by what people say (rows) and what the judge says (columns). */
  readonly confusion: readonly (readonly number[])[];
}

/** How much the place of an answer decides, over every comparison of every judge. */
export interface PositionBias {
  /** Of the verdicts that name a winner, the share that names the one shown first; without a bias one half. Wilson's interval over pairs, as for the others. */
  readonly firstShown: Estimate;
  /** The share of pairs whose verdict changes in any way with the order. */
  readonly flipped: Estimate;
  /** The share of pairs with another winner in each order. */
  readonly contradicted: Estimate;
}

/** How much the length of a response decides. */
export interface LengthBias {
  readonly kind: "single";
  /** Spearman's correlation of judge − people with the length of the response. */
  readonly correlation: Estimate;
  /** The mean of judge − people in the longer half less that in the shorter half, in points of the scale. */
  readonly longerHalf: Estimate;
}

/** How often the longer of two answers is preferred, over pairs of different lengths that both have decided. */
export interface PairLengthBias {
  readonly kind: "pairwise";
  readonly judge: Estimate;
  readonly people: Estimate;
  /** Judge − people. */
  readonly difference: Estimate;
}

/** A row of labels that cannot be used. */
export interface BadLabel {
  /** Counted from 1. */
  readonly row: number;
  readonly problem: string;
}

/** What a judge is worth, as far as labels by people can tell. */
export interface Calibration {
  readonly scale: JudgeScale | "pairwise";
  /** Rows that can be used. */
  readonly labels: number;
  readonly judged: number;
  /** Rows that the judge said it cannot judge, or gave no usable answer for. */
  readonly notJudged: number;
  /** Rows whose judge could not be reached. */
  readonly failed: number;
  /** Rows that were not asked about, because the calibration was stopped. */
  readonly notAsked: number;
  readonly badRows: readonly BadLabel[];
  /** Why rows were not judged, each reason once, and not more than a few. */
  readonly reasons: readonly string[];
  /** Null when nothing was judged. */
  readonly agreement: JudgeAgreement | null;
  /** Null for a judge that is shown one answer at a time. */
  readonly position: PositionBias | null;
  readonly length: LengthBias | PairLengthBias | null;
  /** What the judge cost; null when nobody knows. */
  readonly costUsd: number | null;
  /** True when the cost of some calls is not known. */
  readonly isCostPartial: boolean;
}
