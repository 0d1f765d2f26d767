import { adjustTogether } from "./adjust.js";
import { alphaOf, type Comparison, type MetricComparison } from "./comparison.js";

/** Options of `findRegressions` and `findRegressionsTogether`. */
export interface RegressionOptions {
  /** Smaller losses are ignored. Default: 0. */
  minDifference?: number | undefined;
}

/** The quality metrics in which B may be worse. */
export interface Regressions {
  /** Significantly worse, by at least the minimum difference. */
  worse: readonly MetricComparison[];
  /** Worse by at least the minimum difference, but not significant. */
  unclear: readonly MetricComparison[];
  /** Metrics whose regressions could not be detected, or not down to the minimum difference. */
  blind: readonly MetricComparison[];
  /** True if no loss of quality, however large, could be significant, so that nothing was checked. */
  isFutile: boolean;
}

/**
 * Finds quality metrics in which B is worse than A, may be worse, or in which a loss could not be detected. The Holm
 * correction covers quality only, because cost or time must not hide a loss of quality.
 * @example
 * if (findRegressions(compareRows(before, after)).worse.length > 0) process.exitCode = 1;
 */
export function regressionsIn(comparison: Comparison, options: RegressionOptions = {}): Regressions {
  return regressionsOf([comparison], options)[0] ?? { worse: [], unclear: [], blind: [], isFutile: false };
}

/**
 * The same for several comparisons that are corrected together, such as those of several systems.
 * @example
 * const [ofFirst, ofSecond] = findRegressionsTogether(compareRuns(before, after).comparisons);
 */
export function regressionsOf(comparisons: readonly Comparison[], options: RegressionOptions = {}): Regressions[] {
  const { minDifference = 0 } = options;
  return adjustTogether(comparisons, isQuality).map((comparison) => regressionsAmong(comparison, minDifference));
}

function isQuality({ kind }: MetricComparison): boolean {
  return kind === "quality";
}

function regressionsAmong(comparison: Comparison, minDifference: number): Regressions {
  const quality = comparison.metrics.filter(isQuality);
  const lost = quality.filter(
    ({ difference }) => difference !== null && difference < 0 && -difference >= minDifference,
  );
  const worse = lost.filter(({ change }) => change === "worse");
  const alpha = alphaOf(comparison.level);
  return {
    worse,
    unclear: lost.filter(({ change }) => change !== "worse"),
    blind: quality.filter((metric) => !worse.includes(metric) && isBlind(metric, { alpha, minDifference })),
    isFutile: quality.length > 0 && quality.every((metric) => isUntold(metric, alpha)),
  };
}

function isBlind(metric: MetricComparison, limits: { alpha: number; minDifference: number }): boolean {
  if (isUntold(metric, limits.alpha)) return true;
  const least = metric.detectable?.difference ?? null;
  return least === null || (limits.minDifference > 0 && least > limits.minDifference);
}

/** The Holm correction multiplies the smallest p by the number of hypotheses. */
function isUntold({ smallestP, hypotheses }: MetricComparison, alpha: number): boolean {
  return smallestP * Math.max(1, hypotheses) >= alpha;
}

/** A loss of exactly 0.05 must not exceed 0.05 by rounding. */
const ROUNDING = 1e-9;

/**
 * Quality metrics that are lower in B by more than `maxDrop`, without a significance test.
 * @example
 * if (findDrops(compareRows(before, after), 0.05).length > 0) process.exitCode = 1;
 */
export function findDrops({ metrics }: Comparison, maxDrop: number): MetricComparison[] {
  return metrics.filter(
    (metric) => isQuality(metric) && metric.difference !== null && -metric.difference > maxDrop + ROUNDING,
  );
}

/** The smallest number of independent tasks with which a difference can be significant; null if even many do not suffice. */
export function fewestTasks(level: number, hypotheses: number): number | null {
  const fewest = Math.floor(2 + Math.log2(Math.max(1, hypotheses) / alphaOf(level)));
  return fewest <= MOST_COUNTED ? fewest : null;
}

/** Above this, signs are sampled, and the number of samples limits p. */
const MOST_COUNTED = 20;
