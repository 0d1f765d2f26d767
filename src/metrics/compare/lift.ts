import { findMetricComparison, type MetricComparison, type PairedComparison, toAlpha } from "./comparison.js";

/** The effect of B over A: quality first, then cost. */
export type Lift = "better" | "worse" | "same_but_cheaper" | "same_but_dearer" | "inconclusive";

/** Options of `classifyLift`. */
export interface LiftOptions {
  /** The quality metric. Default: `pass_rate`, or `mean_score` if only that was compared. */
  quality?: string | undefined;
  /** The largest change in quality that counts as the same. Default: 0.05. */
  margin?: number | undefined;
}

const DEFAULT_MARGIN = 0.05;

/**
 * Classifies the effect of B over A.
 *
 * `better` and `worse`: the interval of the quality difference excludes 0, and the exact test agrees (p < 1 − level).
 * `same_but_cheaper`: otherwise, if the interval excludes a loss larger than the margin and cost is significantly lower.
 * `same_but_dearer`: otherwise, if it excludes a gain larger than the margin and cost is significantly higher.
 * `inconclusive`: everything else, and always if too few tasks are paired for any difference to be significant.
 * @example
 * classifyLift(compareRows(without, withSkill)); // "better"
 */
export function classifyLift(comparison: PairedComparison, options: LiftOptions = {}): Lift {
  const { margin = DEFAULT_MARGIN } = options;
  const quality = findQualityMetric(comparison, options);
  const alpha = toAlpha(comparison.level);
  if (quality === undefined || quality.low === null || quality.high === null) return "inconclusive";
  // Two tasks without a difference give an interval of zero width, which proves nothing.
  if (quality.smallestP >= alpha) return "inconclusive";
  const direction = computeDirection(quality, alpha);
  if (direction !== 0) return direction > 0 ? "better" : "worse";
  const cost = findMetricComparison(comparison, "mean_cost_usd");
  const costDirection = cost === undefined ? 0 : computeDirection(cost, alpha);
  if (costDirection < 0 && quality.low >= -margin) return "same_but_cheaper";
  if (costDirection > 0 && quality.high <= margin) return "same_but_dearer";
  return "inconclusive";
}

/**
 * The same, decided by the corrected p-values: with several metrics, systems or variants, the chance of a false positive
 * grows.
 * @example
 * classifyAdjustedLift(compareRuns(before, after).comparisons[0]); // "inconclusive"
 */
export function classifyAdjustedLift(comparison: PairedComparison, options: LiftOptions = {}): Lift {
  const metrics = comparison.metrics.map((metric) => ({ ...metric, p: metric.adjustedP ?? metric.p }));
  return classifyLift({ ...comparison, metrics }, options);
}

/** The quality metric; undefined if it was not compared. */
export function findQualityMetric(
  comparison: PairedComparison,
  options: LiftOptions = {},
): MetricComparison | undefined {
  if (options.quality !== undefined) return findMetricComparison(comparison, options.quality);
  return findMetricComparison(comparison, "pass_rate") ?? findMetricComparison(comparison, "mean_score");
}

/** 1 if B is significantly higher, -1 if lower, else 0. */
function computeDirection({ low, high, p }: MetricComparison, alpha: number): -1 | 0 | 1 {
  if (low === null || high === null || p === null || p >= alpha) return 0;
  if (low > 0) return 1;
  return high < 0 ? -1 : 0;
}
