import type { OpenInterval } from "../../stats/index.js";
import type { JudgeScale } from "./scale.js";

/** A figure with its 95 % interval. The value is null if undefined; there is no interval for too few items. */
export interface Estimate extends OpenInterval {
  readonly value: number | null;
  /** The number of items or verdicts it is based on. */
  readonly n: number;
}

/** How well a judge agrees with people. */
export interface JudgeAgreement {
  /** The share of items in the same category, with a Wilson interval. */
  readonly accuracy: Estimate;
  /** Cohen's kappa, with a bootstrap interval over items. */
  readonly kappa: Estimate;
  /** For scales with more than two values: kappa with quadratic weights. */
  readonly quadraticKappa: Estimate | null;
  /** The mean of judge − people, in points of the scale; null for pairs. */
  readonly meanDifference: Estimate | null;
  readonly categories: readonly string[];
  /** Counts by people's label (rows) and judge's label (columns). */
  readonly confusion: readonly (readonly number[])[];
}

/** How much the position of an answer affects the verdict, over all comparisons of all judges. */
export interface PositionBias {
  /** Of the verdicts with a winner, the share won by the answer shown first; 0.5 without a bias. Wilson interval over pairs, as for the others. */
  readonly firstShown: Estimate;
  /** The share of pairs whose verdict changes with the order. */
  readonly flipped: Estimate;
  /** The share of pairs with a different winner in each order. */
  readonly contradicted: Estimate;
}

/** How much the length of a response affects the verdict. */
export interface LengthBias {
  readonly kind: "single";
  /** Spearman's correlation of judge − people with the length of the response. */
  readonly correlation: Estimate;
  /** The mean of judge − people in the longer half minus that in the shorter half, in points of the scale. */
  readonly longerHalf: Estimate;
}

/** How often the longer of two answers is preferred, over pairs of different lengths where both the judge and people chose a winner. */
export interface PairLengthBias {
  readonly kind: "pairwise";
  readonly judge: Estimate;
  readonly people: Estimate;
  /** Judge − people. */
  readonly difference: Estimate;
}

/** A label row that cannot be used. */
export interface BadLabel {
  /** Counted from 1. */
  readonly row: number;
  readonly problem: string;
}

/** How a judge compares with labels by people. */
export interface Calibration {
  readonly scale: JudgeScale | "pairwise";
  /** Rows that can be used. */
  readonly labels: number;
  readonly judged: number;
  /** Rows that the judge said it cannot judge, or gave no usable answer for. */
  readonly notJudged: number;
  /** Rows whose judge could not be reached. */
  readonly failed: number;
  /** Rows that were not sent to the judge because the calibration was stopped. */
  readonly notAsked: number;
  readonly badRows: readonly BadLabel[];
  /** Why rows were not judged: a few distinct reasons. */
  readonly reasons: readonly string[];
  /** Null if nothing was judged. */
  readonly agreement: JudgeAgreement | null;
  /** Null unless the judge compares pairs. */
  readonly position: PositionBias | null;
  readonly length: LengthBias | PairLengthBias | null;
  /** The judge's cost; null if unknown. */
  readonly costUsd: number | null;
  /** True if the cost of some calls is unknown. */
  readonly isCostPartial: boolean;
}
