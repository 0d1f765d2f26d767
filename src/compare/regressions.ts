import { alphaOf, type Comparison, type MetricComparison } from "./comparison.js";

export interface RegressionOptions {
  /** Losses smaller than this are let pass; 0 unless told. */
  minDifference?: number | undefined;
}

/** What the quality metrics of one comparison say about B being worse. */
export interface Regressions {
  /** Worse for sure: the adjusted p is small enough, and the loss large enough. */
  worse: readonly MetricComparison[];
  /** Worse by as much, but chance may do that too. */
  unclear: readonly MetricComparison[];
  /** Those that this design could not have told, or not down to the difference that matters. */
  blind: readonly MetricComparison[];
}

/**
 * Where B is worse than A in quality, where it may be, and where the design could not have told.
 * @example
 * if (regressionsIn(compareRows(before, after)).worse.length > 0) process.exitCode = 1;
 */
export function regressionsIn(comparison: Comparison, options: RegressionOptions = {}): Regressions {
  const { minDifference = 0 } = options;
  const quality = comparison.metrics.filter(({ kind }) => kind === "quality");
  const lost = quality.filter(
    ({ difference }) => difference !== null && difference < 0 && -difference >= minDifference,
  );
  const worse = lost.filter(({ change }) => change === "worse");
  const alpha = alphaOf(comparison.level);
  return {
    worse,
    unclear: lost.filter(({ change }) => change !== "worse"),
    blind: quality.filter((metric) => !worse.includes(metric) && isBlind(metric, { alpha, minDifference })),
  };
}

function isBlind(metric: MetricComparison, limits: { alpha: number; minDifference: number }): boolean {
  const { smallestP, hypotheses, detectable } = metric;
  // The first step of the adjustment multiplies by the number of hypotheses.
  if (smallestP * Math.max(1, hypotheses) >= limits.alpha) return true;
  const least = detectable?.difference ?? null;
  return least === null || (limits.minDifference > 0 && least > limits.minDifference);
}
