/** A share with its interval; a bound is null if there are too few labels. */
export interface LabelEstimate {
  value: number;
  low: number | null;
  high: number | null;
}

/** The pass rate of a system, or a difference of two, as people would have seen it. */
export interface LabelCorrection {
  system: string;
  /** What the verdicts of the run say, right or wrong. */
  judgeAlone: number;
  /** Labels that were used, and all trials with a verdict. */
  labels: number;
  trials: number;
  /** How it was corrected; null if it could not be. */
  method: "prediction-powered" | "rogan-gladen" | null;
  corrected: LabelEstimate | null;
  /** What the labels say without the verdicts of the other trials; null for labels from another set. */
  labelsAlone: LabelEstimate | null;
  /** The number of labels that would do as well without the verdicts of the run. */
  effectiveLabels: number | null;
  /** How many labels in all would give the wanted half-width; Infinity if not even all do. Null if unknown. */
  neededLabels: number | null;
  /** Why it could not be corrected; null if it could. */
  reason: string | null;
}

/** What labels say about a run or a comparison. */
export interface LabelCorrections {
  systems: readonly LabelCorrection[];
  /** The half-width that `neededLabels` is about. */
  halfWidth: number;
  /** Such as labels that were left out, and why. */
  notes: readonly string[];
}
