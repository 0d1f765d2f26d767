import { MAX_EXACT_UNITS } from "../../stats/index.js";
import { adjustTogether, type MetricComparison, type PairedComparison, toAlpha } from "./comparison.js";

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
export function findRegressions(comparison: PairedComparison, options: RegressionOptions = {}): Regressions {
  return findRegressionsTogether([comparison], options)[0] ?? { worse: [], unclear: [], blind: [], isFutile: false };
}

/**
 * The same for several comparisons that are corrected together, such as those of several systems.
 * @example
 * const [ofFirst, ofSecond] = findRegressionsTogether(compareRuns(before, after).comparisons);
 */
export function findRegressionsTogether(
  comparisons: readonly PairedComparison[],
  options: RegressionOptions = {},
): Regressions[] {
  const { minDifference = 0 } = options;
  return adjustTogether(comparisons, isQualityMetric).map((comparison) =>
    classifyRegressions(comparison, minDifference),
  );
}

function isQualityMetric({ kind }: MetricComparison): boolean {
  return kind === "quality";
}

function classifyRegressions(comparison: PairedComparison, minDifference: number): Regressions {
  const quality = comparison.metrics.filter(isQualityMetric);
  const lost = quality.filter(
    ({ difference }) => difference !== null && difference < 0 && -difference >= minDifference,
  );
  const worse = lost.filter(({ change }) => change === "worse");
  const alpha = toAlpha(comparison.level);
  return {
    worse,
    unclear: lost.filter(({ change }) => change !== "worse"),
    blind: quality.filter((metric) => !worse.includes(metric) && isUnderpowered(metric, { alpha, minDifference })),
    isFutile: quality.length > 0 && quality.every((metric) => canNeverBeSignificant(metric, alpha)),
  };
}

function isUnderpowered(metric: MetricComparison, limits: { alpha: number; minDifference: number }): boolean {
  if (canNeverBeSignificant(metric, limits.alpha)) return true;
  const least = metric.detectable?.difference ?? null;
  return least === null || (limits.minDifference > 0 && least > limits.minDifference);
}

/** The Holm correction multiplies the smallest p by the number of hypotheses. */
function canNeverBeSignificant({ smallestP, hypotheses }: MetricComparison, alpha: number): boolean {
  return smallestP * Math.max(1, hypotheses) >= alpha;
}

/** A loss of exactly 0.05 must not exceed 0.05 by rounding. */
const ROUNDING_TOLERANCE = 1e-9;

/**
 * Quality metrics that are lower in B by more than `maxDrop`, without a significance test.
 * @example
 * if (findDrops(compareRows(before, after), 0.05).length > 0) process.exitCode = 1;
 */
export function findDrops({ metrics }: PairedComparison, maxDrop: number): MetricComparison[] {
  return metrics.filter(
    (metric) =>
      isQualityMetric(metric) && metric.difference !== null && -metric.difference > maxDrop + ROUNDING_TOLERANCE,
  );
}

/** The smallest number of independent tasks with which a difference can be significant; null if even many do not suffice. */
export function computeMinTasks(level: number, hypotheses: number): number | null {
  const fewest = Math.floor(2 + Math.log2(Math.max(1, hypotheses) / toAlpha(level)));
  return fewest <= MAX_EXACT_UNITS ? fewest : null;
}
