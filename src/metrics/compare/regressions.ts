import { adjustTogether } from "./adjust.js";
import { alphaOf, type Comparison, type MetricComparison } from "./comparison.js";

/** Options of `regressionsIn` and `regressionsOf`. */
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
  /** True when no loss of quality, however large, could have been told from chance: then nothing was checked. */
  isFutile: boolean;
}

/**
 * Where B is worse than A in quality, where it may be, and where the design could not have told. Their p is adjusted over
 * quality alone: how long something took is no reason to believe less that it became worse.
 * @example
 * if (regressionsIn(compareRows(before, after)).worse.length > 0) process.exitCode = 1;
 */
export function regressionsIn(comparison: Comparison, options: RegressionOptions = {}): Regressions {
  return regressionsOf([comparison], options)[0] ?? { worse: [], unclear: [], blind: [], isFutile: false };
}

/**
 * The same for comparisons that are judged together, such as those of several systems: one for each.
 * @example
 * const [ofFirst, ofSecond] = regressionsOf(compareRuns(before, after).comparisons);
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

/** The first step of the adjustment multiplies by the number of hypotheses. */
function isUntold({ smallestP, hypotheses }: MetricComparison, alpha: number): boolean {
  return smallestP * Math.max(1, hypotheses) >= alpha;
}

/** Rounding must not make a loss of exactly 0.05 a larger one. */
const ROUNDING = 1e-9;

/**
 * The metrics of quality that are lower in B by more than `maxDrop`, whatever chance may do: no test is made.
 * @example
 * if (findDrops(compareRows(before, after), 0.05).length > 0) process.exitCode = 1;
 */
export function findDrops({ metrics }: Comparison, maxDrop: number): MetricComparison[] {
  return metrics.filter(
    (metric) => isQuality(metric) && metric.difference !== null && -metric.difference > maxDrop + ROUNDING,
  );
}

/** The least number of independent tasks of which some difference could be told from chance; null when many are not enough. */
export function fewestTasks(level: number, hypotheses: number): number | null {
  const fewest = Math.floor(2 + Math.log2(Math.max(1, hypotheses) / alphaOf(level)));
  return fewest <= MOST_COUNTED ? fewest : null;
}

/** Above, signs are drawn, and the least p is that of the draws. */
const MOST_COUNTED = 20;
