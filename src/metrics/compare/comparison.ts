import type { EvalRow } from "../../core/row.js";
import { holm, type Seed } from "../../stats/index.js";

/** Options for comparing two sets of rows. */
export interface CompareOptions {
  /** The task of a row: rows of A and B with the same key are paired. Default: dataset and example id. */
  keyOf?: ((row: EvalRow) => string) | undefined;
  /** The score field behind `mean_score`. Default: "score", the primary score. */
  scoreField?: string | undefined;
  /**
   * Names of the metrics to compare; `field:` may be omitted for score fields. Default: all that both sides have, without
   * measures (`measure:characters`), which decide nothing and would weaken the correction for the others.
   */
  metrics?: readonly string[] | undefined;
  /** Confidence level of intervals; an adjusted p below 1 − level is significant. Default: 0.95. */
  level?: number | undefined;
  /** Seed of the sampled permutations. Default: 0. */
  seed?: Seed | undefined;
}

/** Whether higher or lower values are better; `neither` for measures, whose meaning only their evaluator knows. */
export type Better = "more" | "less" | "neither";

/** `quality` decides regressions; `field` is a further score; `economy` is cost, time or tokens; `measure` is an evaluator's. */
export type MetricKind = "quality" | "field" | "economy" | "measure";

/** How a metric changed from A to B, after correction for several metrics; `different` if neither direction is better. */
export type Change = "better" | "worse" | "different" | "same" | "unclear";

/** The test behind a p-value: McNemar's exact test for pass or fail, else a sign-flip permutation test, exact or sampled. */
export type TestName = "mcnemar" | "sign-flip" | "sign-flip-sampled";

/** One metric of A and B over the tasks that have it on both sides. Undefined values are null, with a `reason`. */
export interface MetricComparison {
  /** As in a summary: `pass_rate`, `mean_score`, `mean_cost_usd`, …, or `field:NAME` for a score field, `measure:NAME` for a measure. */
  metric: string;
  kind: MetricKind;
  better: Better;
  /** Number of tasks that have it on both sides. */
  n: number;
  /** Number of independent groups, if tasks share groups. */
  groups: number | null;
  /** Mean over the paired tasks of each task's mean over its trials. */
  a: number | null;
  b: number | null;
  /** B − A, with its paired t interval. */
  difference: number | null;
  low: number | null;
  high: number | null;
  se: number | null;
  test: TestName | null;
  /** Two-sided, without correction. */
  p: number | null;
  /** Holm-corrected over all metrics with enough tasks; null if this one has too few. */
  adjustedP: number | null;
  /** Number of hypotheses in the correction. */
  hypotheses: number;
  /** The smallest p possible with this number of tasks. */
  smallestP: number;
  change: Change;
  /** The minimum detectable difference; null except for quality. */
  detectable: Detectable | null;
  /** Why a value above is null. */
  reason?: string;
}

/** The minimum detectable difference at 80 % power. */
export interface Detectable {
  difference: number | null;
  power: number;
  /** Whether the variance was measured, or assumed because there was none. */
  spread: "measured" | "assumed";
  reason?: string;
}

/** A task, identified as in its rows. */
export interface TaskName {
  dataset: string;
  exampleId: string | number;
}

/** A task that could not be paired, because a side has no scored trial. */
export interface UnmatchedTask extends TaskName {
  /** The side with scored trials. */
  scoredIn: "a" | "b" | "neither";
  /** Why the other side has none. */
  reason: string;
}

/** Passes of a task in A and B. */
export interface TaskPasses extends TaskName {
  passesA: number;
  trialsA: number;
  passesB: number;
  trialsB: number;
  /** True if its trials disagree, in A or B. */
  isFlaky: boolean;
}

/** Tasks whose majority verdict differs between A and B. */
export interface Flips {
  toFail: readonly TaskPasses[];
  toPass: readonly TaskPasses[];
  /** Tasks whose trials disagree while the majority verdict is unchanged or tied. */
  flaky: readonly TaskPasses[];
}

/** A comparison of two sets of rows, paired by task. Differences are B − A. */
export interface PairedComparison {
  /** The system of the rows; several are joined by commas. */
  systemA: string;
  systemB: string;
  level: number;
  tasks: {
    /** Scored on both sides. */
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
  /** Notes for the reader, such as tasks that were paired by id only. */
  notes: readonly string[];
}

export const DEFAULT_LEVEL = 0.95;

/** 1 − level, rounded: 1 − 0.95 is slightly more than 0.05 in floating point. */
export function toAlpha(level: number): number {
  return Number((1 - level).toPrecision(12));
}

export function findMetricComparison({ metrics }: PairedComparison, name: string): MetricComparison | undefined {
  return metrics.find(({ metric }) => metric === name);
}

/**
 * Applies the Holm correction over the metrics of all comparisons together, as needed for several variants of one
 * experiment or several systems of one run. `of` selects the metrics to include. Default: all.
 * @example
 * const [first, second] = adjustTogether([compareRows(base, one), compareRows(base, two)]);
 */
export function adjustTogether(
  comparisons: readonly PairedComparison[],
  of: (metric: MetricComparison) => boolean = () => true,
): PairedComparison[] {
  const all = comparisons.flatMap(({ metrics, level }, place) =>
    metrics.filter(of).map((metric) => ({ metric, id: buildHypothesisKey(metric, place), alpha: toAlpha(level) })),
  );
  // A hypothesis that cannot become significant does not weaken the others, and duplicates count once.
  const family = new Map<string, number>();
  for (const { metric, id, alpha } of all) if (metric.p !== null && metric.smallestP < alpha) family.set(id, metric.p);
  const adjusted = holm([...family.values()]);
  const byId = new Map([...family.keys()].map((id, index) => [id, adjusted[index] ?? 1]));
  return comparisons.map((comparison, place) => ({
    ...comparison,
    metrics: comparison.metrics.map((metric) => {
      const adjustedP = of(metric) ? (byId.get(buildHypothesisKey(metric, place)) ?? null) : null;
      const judged = { ...metric, adjustedP, hypotheses: family.size };
      return { ...judged, change: classifyChange(judged, comparison.level) };
    }),
  }));
}

/** Metrics that agree in all of these, such as a 0/1 score and the pass rate, are one hypothesis. */
function buildHypothesisKey({ n, a, b, difference, se, p }: MetricComparison, place: number): string {
  return JSON.stringify([place, n, a, b, difference, se, p]);
}

function classifyChange({ difference, se, better, adjustedP }: MetricComparison, level: number): Change {
  if (difference === 0 && se === 0) return "same";
  if (difference === null || adjustedP === null || adjustedP >= toAlpha(level)) return "unclear";
  if (better === "neither") return "different";
  return difference > 0 === (better === "more") ? "better" : "worse";
}
