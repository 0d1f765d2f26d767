import { alphaOf, type Comparison, type MetricComparison, metricIn } from "./comparison.js";

/** What B brings over A, quality first and cost second. */
export type Lift = "better" | "worse" | "same_but_cheaper" | "same_but_dearer" | "inconclusive";

/** Options of `liftOf`. */
export interface LiftOptions {
  /** The metric that is quality; `pass_rate` unless told, or `mean_score` where only that was compared. */
  quality?: string | undefined;
  /** The largest loss, or gain, of quality that still counts as the same; 0.05 unless told. */
  margin?: number | undefined;
}

const DEFAULT_MARGIN = 0.05;

/**
 * In one word what B brings over A.
 *
 * `better` and `worse`: the interval of the quality difference excludes 0, and the exact test agrees (p < 1 − level).
 * `same_but_cheaper`: otherwise, if the interval excludes a loss larger than the margin and cost is clearly less.
 * `same_but_dearer`: otherwise, if it excludes a gain larger than the margin and cost is clearly more.
 * `inconclusive`: everything else, and always where so few tasks are paired that no difference could have shown.
 * @example
 * liftOf(compareRows(without, withSkill)); // "better"
 */
export function liftOf(comparison: Comparison, options: LiftOptions = {}): Lift {
  const { margin = DEFAULT_MARGIN } = options;
  const quality = qualityOf(comparison, options);
  const alpha = alphaOf(comparison.level);
  if (quality === undefined || quality.low === null || quality.high === null) return "inconclusive";
  // No difference on two tasks has an interval without width, which proves nothing.
  if (quality.smallestP >= alpha) return "inconclusive";
  const direction = directionOf(quality, alpha);
  if (direction !== 0) return direction > 0 ? "better" : "worse";
  const cost = metricIn(comparison, "mean_cost_usd");
  const dearer = cost === undefined ? 0 : directionOf(cost, alpha);
  if (dearer < 0 && quality.low >= -margin) return "same_but_cheaper";
  if (dearer > 0 && quality.high <= margin) return "same_but_dearer";
  return "inconclusive";
}

/** The metric that quality goes by; undefined when it was not compared. */
export function qualityOf(comparison: Comparison, options: LiftOptions = {}): MetricComparison | undefined {
  if (options.quality !== undefined) return metricIn(comparison, options.quality);
  return metricIn(comparison, "pass_rate") ?? metricIn(comparison, "mean_score");
}

/** 1 when B clearly has more of it, -1 when it clearly has less, 0 when neither is clear. */
function directionOf({ low, high, p }: MetricComparison, alpha: number): -1 | 0 | 1 {
  if (low === null || high === null || p === null || p >= alpha) return 0;
  if (low > 0) return 1;
  return high < 0 ? -1 : 0;
}
