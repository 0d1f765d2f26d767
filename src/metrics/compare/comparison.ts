import type { EvalRow } from "../../core/row.js";
import type { Seed } from "../../stats/index.js";

/** How two sets of rows are compared. */
export interface CompareOptions {
  /** Which task a row is a trial of: rows of A and B with the same key are a pair. Its dataset and example unless told. */
  keyOf?: ((row: EvalRow) => string) | undefined;
  /** The score that `mean_score` is the mean of; "score", the primary one, unless told. */
  scoreField?: string | undefined;
  /** Metrics to compare, by name; all that both have unless told. A score field may be named without `field:`. */
  metrics?: readonly string[] | undefined;
  /** What intervals cover, and one minus what an adjusted p must be less than; 0.95 unless told. */
  level?: number | undefined;
  /** Of the permutations that are drawn where there are too many to count; 0 unless told. */
  seed?: Seed | undefined;
}

/** Whether a metric is the better the more or the less of it there is. */
export type Better = "more" | "less";

/** `quality` decides on regressions; `field` is one of many scores; `economy` is what it took. */
export type MetricKind = "quality" | "field" | "economy";

/** What became of a metric from A to B, after the adjustment for several metrics. */
export type Change = "better" | "worse" | "same" | "unclear";

/** How a p-value was found: pass or fail by McNemar, else by flipping signs, all of them or a seeded sample. */
export type TestName = "mcnemar" | "sign-flip" | "sign-flip-sampled";

/** One metric of A and B over the tasks that have it in both. What is undefined is null, with a `reason`. */
export interface MetricComparison {
  /** Named as in a summary: `pass_rate`, `mean_score`, `mean_cost_usd`, …, or `field:NAME` for a score field. */
  metric: string;
  kind: MetricKind;
  better: Better;
  /** Tasks that have it in both. */
  n: number;
  /** Independent groups of tasks, where tasks share them. */
  groups: number | null;
  /** The mean over the paired tasks of each task's mean over its trials. */
  a: number | null;
  b: number | null;
  /** B minus A, with its paired t interval. */
  difference: number | null;
  low: number | null;
  high: number | null;
  se: number | null;
  test: TestName | null;
  /** Two-sided, of the test alone. */
  p: number | null;
  /** By Holm over all metrics that enough tasks stand behind; null when this one is not among them. */
  adjustedP: number | null;
  /** How many hypotheses `adjustedP` is adjusted over. */
  hypotheses: number;
  /** The least p that so many tasks could give, however large the difference. */
  smallestP: number;
  change: Change;
  /** What the design can find; null for all but quality. */
  detectable: Detectable | null;
  /** Why something above is null. */
  reason?: string;
}

/** The smallest difference that so many tasks and trials find at this level four times in five. */
export interface Detectable {
  difference: number | null;
  power: number;
  /** Whether the spread of the differences was measured, or taken as before a run because there was none. */
  spread: "measured" | "assumed";
  reason?: string;
}

/** One task, as its rows name it. */
export interface TaskName {
  dataset: string;
  exampleId: string | number;
}

/** A task that no pair could be made of: one side has no scored trial. */
export interface UnmatchedTask extends TaskName {
  /** Where it was scored. */
  scoredIn: "a" | "b" | "neither";
  /** What came of it where it was not scored. */
  reason: string;
}

/** How often a task passed in A and in B. */
export interface TaskPasses extends TaskName {
  passesA: number;
  trialsA: number;
  passesB: number;
  trialsB: number;
  /** Its trials disagree, in A or in B. */
  isFlaky: boolean;
}

/** Tasks whose verdict is another in B, by the majority of their trials. */
export interface Flips {
  toFail: readonly TaskPasses[];
  toPass: readonly TaskPasses[];
  /** Tasks whose trials disagree while the majority is the same, or there is none. */
  flaky: readonly TaskPasses[];
}

/** Two sets of rows, paired by task. Differences are B minus A. */
export interface Comparison {
  /** The system of the rows, or all of them with commas between. */
  systemA: string;
  systemB: string;
  level: number;
  tasks: {
    /** Scored in both. */
    paired: number;
    aOnly: number;
    bOnly: number;
    neither: number;
  };
  /** Scored trials of the paired tasks. */
  trials: { a: number; b: number };
  metrics: readonly MetricComparison[];
  flips: Flips;
  unmatched: readonly UnmatchedTask[];
  /** Things the reader should know, such as that tasks were paired by id alone. */
  notes: readonly string[];
}

export const DEFAULT_LEVEL = 0.95;

/** What an adjusted p must be less than at a level; 1 − 0.95 as it comes is a little more than 0.05. */
export function alphaOf(level: number): number {
  return Number((1 - level).toPrecision(12));
}

/** The comparison of one metric, if it was compared. */
export function metricIn({ metrics }: Comparison, name: string): MetricComparison | undefined {
  return metrics.find(({ metric }) => metric === name);
}
