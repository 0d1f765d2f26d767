import type { Outcome } from "../core/row.js";
import type { SequentialReport } from "../core/sequential.js";
import type { DecisionCost, Lift } from "../metrics/compare/index.js";

// Types alone, because the page has them too.

/** The report of an experiment, for JSON and Markdown. */
export interface ExperimentReport {
  readonly schema: "assay.experiment/1";
  readonly name: string;
  readonly description: string | null;
  readonly baseline: string;
  readonly vary: readonly string[];
  /** Confidence level of intervals. */
  readonly level: number;
  /** The score that `meanScore` averages. */
  readonly scoreField: string;
  readonly variants: readonly (Omit<ReportedVariant, "planned"> & VariantFigures)[];
  /** One for each variant except the baseline. */
  readonly lifts: readonly VariantLift[];
  /** What the comparisons cost; null for a run that may stop early, whose verdict has it. */
  readonly cost: DecisionCost | null;
  /** By variant, without the baseline. */
  readonly stimuli: Readonly<Record<string, readonly StimulusDifference[]>>;
  readonly missing: readonly MissingStimulus[];
  /** What a run that may stop before its last test case has decided, in place of tests; null for any other run. */
  readonly sequential: SequentialReport | null;
  /** Folders of the runs that the rows come from. */
  readonly runs: readonly string[];
  readonly notes: readonly string[];
}

/** A value with its interval over test cases; null with a reason if unknown. */
export interface Figure {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Number of test cases. */
  readonly n: number;
  readonly reason?: string;
}

/** Unbiased pass@k and pass^k for one k. */
export interface CurveFigure {
  readonly k: number;
  readonly passAtK: Figure;
  readonly passHatK: Figure;
}

export interface VariantFigures {
  readonly stimuli: number;
  readonly trials: Readonly<Record<Outcome, number>>;
  /** Planned trials, run or not; null if unknown. */
  readonly planned: number | null;
  /** The share of the planned trials that were scored; null with a reason if the number of planned trials is unknown. */
  readonly coverage: number | null;
  readonly coverageReason?: string;
  readonly passRate: Figure;
  readonly curves: readonly CurveFigure[];
  readonly meanScore: Figure;
  readonly meanCostUsd: Figure;
  /** Of all trials; null if the cost of some is unknown. */
  readonly totalCostUsd: number | null;
  readonly costPerPassUsd: number | null;
  /** Trials with an output but without a known cost. */
  readonly costUnknownTrials: number;
  readonly meanSeconds: Figure;
}

/** A paired difference from the baseline. */
export interface PairedDelta {
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Test cases with a value in both. */
  readonly n: number;
  /** Two-sided p-value of the exact test. */
  readonly p: number | null;
  /** After Holm correction over all variants; null if not corrected, or if there are too few test cases. */
  readonly adjustedP: number | null;
  readonly reason?: string;
}

/** The difference between a variant and the baseline. */
export interface VariantLift {
  readonly variant: string;
  readonly lift: Lift;
  /** Test cases scored in both. */
  readonly paired: number;
  readonly passRate: PairedDelta;
  readonly meanScore: PairedDelta;
  readonly costUsd: PairedDelta;
  /** The difference as a share of the baseline's cost; null when that is 0 or unknown. */
  readonly costChange: number | null;
  readonly seconds: PairedDelta;
  readonly timeChange: number | null;
  /** The minimum detectable difference of the pass rate at 80 % power; null if unknown. */
  readonly detectable: number | null;
}

/** A variant of an experiment, and the names of the systems of its rows. */
export interface ReportedVariant {
  readonly name: string;
  readonly systems: readonly string[];
  /** JSON pointers with the values of the variant. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Planned trials; null if unknown. Default: the number of rows. */
  readonly planned?: number | null;
}

/** How often a test case passed. */
export interface Passes {
  readonly passes: number;
  /** Scored trials. */
  readonly trials: number;
  /** Null when no trial was scored. */
  readonly rate: number | null;
}

/** A test case in the baseline and in a variant. */
export interface StimulusDifference {
  readonly eval: string;
  readonly stimulus: string;
  readonly baseline: Passes;
  readonly variant: Passes;
  /** Variant minus baseline; null when one of them has no scored trial. */
  readonly difference: number | null;
}

/** A test case that some variants lack or have not scored. */
export interface MissingStimulus {
  readonly eval: string;
  readonly stimulus: string;
  /** The variants that lack it or have not scored it. */
  readonly variants: readonly string[];
}
