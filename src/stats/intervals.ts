import {
  inverseIncompleteBeta,
  normalQuantile,
  requireInteger,
  requireOpenProbability,
  requireProbability,
  requireSameLength,
  studentQuantile,
} from "./distributions.js";
import { type Clusters, mean, type Numbers, sum, sumByCluster, sumSquaredDeviations } from "./mean.js";

/** The two ends of an interval. */
export interface Interval {
  low: number;
  high: number;
}

/** The ends of an interval that may not exist; null means "none", which a zero width would hide. */
export interface OpenInterval {
  low: number | null;
  high: number | null;
}

export const NO_INTERVAL: Readonly<OpenInterval> = Object.freeze({ low: null, high: null });

/** The default confidence level. */
export const DEFAULT_LEVEL = 0.95;

/** Wilson's bounds for a rate seen in n (not necessarily whole) trials, z standard errors wide. */
export function computeWilsonBounds(rate: number, n: number, z: number): Interval {
  const square = (z * z) / n;
  const center = (rate + square / 2) / (1 + square);
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n))) / (1 + square);
  // At 0 and 1 the bound is exact; rounding would give -1e-17, or exclude the rate from a narrow interval.
  return {
    low: rate === 0 ? 0 : Math.min(rate, Math.max(0, center - half)),
    high: rate === 1 ? 1 : Math.max(rate, Math.min(1, center + half)),
  };
}

/**
 * Wilson's score interval for a proportion.
 * @example
 * wilsonInterval(8, 10); // { low: 0.490162, high: 0.943318 }
 */
export function wilsonInterval(passes: number, n: number, level: number = DEFAULT_LEVEL): Interval {
  requireInteger("n", n, { low: 1 });
  requireInteger("passes", passes, { low: 0, high: n });
  requireOpenProbability("level", level);
  return computeWilsonBounds(passes / n, n, normalQuantile((1 + level) / 2));
}

/**
 * The exact (Clopper–Pearson) interval for a proportion; its coverage is at least its level, often more.
 * @example
 * clopperPearsonInterval(8, 10); // { low: 0.443905, high: 0.974789 }
 */
export function clopperPearsonInterval(passes: number, n: number, level: number = DEFAULT_LEVEL): Interval {
  requireInteger("n", n, { low: 1 });
  requireInteger("passes", passes, { low: 0, high: n });
  requireOpenProbability("level", level);
  const tail = (1 - level) / 2;
  return {
    low: passes === 0 ? 0 : inverseIncompleteBeta(tail, passes, n - passes + 1),
    high: passes === n ? 1 : inverseIncompleteBeta(1 - tail, passes + 1, n - passes),
  };
}

/** Options of `meanInterval`. */
export interface MeanIntervalOptions {
  level?: number | undefined;
  /** The cluster of each value (a passage, repository or user); values of one cluster are not independent. */
  clusters?: Clusters | undefined;
}

/** A mean with its standard error and interval. */
export interface MeanInterval extends OpenInterval {
  mean: number;
  /** The standard error; null below two independent units. */
  se: number | null;
  df: number;
  n: number;
  /** The number of clusters, if given. */
  clusters?: number;
}

/** The standard error and t interval of a mean, from the squared deviations of its independent units. */
export function computeTInterval(
  mean: number,
  from: { spread: number; units: number; n: number; level: number },
): Pick<MeanInterval, "se" | "low" | "high" | "df"> {
  const df = Math.max(0, from.units - 1);
  if (df === 0) return { se: null, ...NO_INTERVAL, df };
  const se = Math.sqrt((from.units / df) * from.spread) / from.n;
  const half = studentQuantile((1 + from.level) / 2, df) * se;
  return { se, low: mean - half, high: mean + half, df };
}

/**
 * The mean of one value per task with its standard error and t interval; bounds are null below two tasks or clusters.
 * @example
 * meanInterval([0.2, 0.9, 0.4], { level: 0.9 });
 * meanInterval([1, 1, 0, 1], { clusters: ["a", "a", "b", "b"] });
 */
export function meanInterval(values: Numbers, options: MeanIntervalOptions = {}): MeanInterval {
  const { level = DEFAULT_LEVEL, clusters } = options;
  requireOpenProbability("level", level);
  const n = values.length;
  const center = mean(values);
  if (clusters === undefined) {
    const spread = sumSquaredDeviations(values, center);
    return { mean: center, ...computeTInterval(center, { spread, units: n, n, level }), n };
  }
  requireSameLength("values and clusters", n, clusters.length);
  const sums = sumByCluster(values, clusters, center);
  const spread = sumSquaredDeviations(sums, 0);
  return {
    mean: center,
    ...computeTInterval(center, { spread, units: sums.length, n, level }),
    n,
    clusters: sums.length,
  };
}

/**
 * The mean of a non-negative amount (dollars, tokens, seconds) with a t interval on the log scale, so that it stays above
 * 0. No interval if every value is 0, because their scale is unknown.
 * @example
 * amountInterval([0.002, 0.004, 0.011]);
 */
export function amountInterval(values: Numbers, options: MeanIntervalOptions = {}): MeanInterval {
  const { level = DEFAULT_LEVEL } = options;
  requireOpenProbability("level", level);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (!(value >= 0)) throw new RangeError(`values must not be negative, got ${value}`);
  }
  const found = meanInterval(values, options);
  const { mean, se, df } = found;
  if (se === null || mean === 0) return { ...found, ...NO_INTERVAL };
  const factor = Math.exp((studentQuantile((1 + level) / 2, df) * se) / mean);
  return { ...found, low: mean / factor, high: mean * factor };
}

/**
 * The interval of a mean of scores in [0, 1], one mean per task. Like a pass rate: Wilson with t at the number of 0/1
 * trials that would have the observed standard error, and at the number of tasks if all agree. So it stays within [0, 1],
 * and six scores of 1 still have some width.
 * @example
 * scoreInterval([0.5, 0.8, 1, 0.9]);
 * scoreInterval([0.5, 0.8, 1, 0.9], { clusters: ["a", "a", "b", "c"] });
 */
export function scoreInterval(taskMeans: Numbers, options: MeanIntervalOptions = {}): MeanInterval {
  const { level = DEFAULT_LEVEL } = options;
  requireOpenProbability("level", level);
  for (let i = 0; i < taskMeans.length; i++) requireProbability("taskMeans", taskMeans[i] ?? 0);
  const found = meanInterval(taskMeans, options);
  const { mean, se, n, clusters } = found;
  // Scores between 0 and 1 vary less than 0/1 trials, so they may be worth more trials than there were.
  const trials = Number.POSITIVE_INFINITY;
  const { low, high } = computeRateBounds({ rate: mean, se, tasks: n, trials, level, clusters });
  return { ...found, low, high };
}

/** A pass rate with its interval. */
export interface PassRateInterval extends OpenInterval {
  rate: number;
  /** The number of tasks. */
  n: number;
  /** The effective number of independent trials; null without an interval. */
  nEff: number | null;
  /** The number of clusters, if given. */
  clusters?: number;
}

/** Options of `passRateInterval`. */
export interface PassRateOptions {
  level?: number | undefined;
  /** The cluster of each task; tasks of one cluster are not independent. */
  clusters?: Clusters | undefined;
}

/** Sums that should cancel leave a rounding error, which is not variance. */
const ROUNDING = 1e-12;

/** The number of independent trials that would have the observed standard error. */
function computeEffectiveTrials(rate: number, se: number, bounds: { units: number; trials: number }): number {
  if (se < ROUNDING) return bounds.units;
  return Math.min(bounds.trials, Math.max(1, (rate * (1 - rate)) / (se * se)));
}

export interface RateStatistics {
  rate: number;
  se: number | null;
  tasks: number;
  trials: number;
  level: number;
  /** The number of clusters. Default: every task is independent. */
  clusters?: number | undefined;
}

/** Wilson for one trial per task; for several trials or clusters, Wilson at the effective number of trials, with t instead of z. */
export function computeRateBounds(facts: RateStatistics): OpenInterval & { nEff: number | null } {
  const { rate, se, tasks, trials, level, clusters } = facts;
  const upper = (1 + level) / 2;
  const isPlain = clusters === undefined && trials === tasks;
  if (tasks > 0 && isPlain) return { nEff: tasks, ...computeWilsonBounds(rate, tasks, normalQuantile(upper)) };
  // Several trials of one task say nothing about other tasks, nor does one cluster about others.
  if (se === null) return { nEff: null, ...NO_INTERVAL };
  const units = clusters ?? tasks;
  const nEff = computeEffectiveTrials(rate, se, { units, trials });
  return { nEff, ...computeWilsonBounds(rate, nEff, studentQuantile(upper, units - 1)) };
}

/**
 * The interval of a pass rate, from the pass rate of each task and the total number of trials.
 * @example
 * passRateInterval([1, 0, 1, 1], 4); // one trial each: Wilson
 * passRateInterval([1, 0.5, 0, 1], 8); // two trials each: Wilson at the effective number of trials
 * passRateInterval([1, 1, 0, 1], 4, { clusters: ["a", "a", "b", "c"] }); // and where tasks are not independent
 */
export function passRateInterval(
  taskMeans: Numbers,
  totalTrials: number,
  options: number | PassRateOptions = {},
): PassRateInterval {
  const { level = DEFAULT_LEVEL, clusters: given } = typeof options === "number" ? { level: options } : options;
  requireOpenProbability("level", level);
  for (let i = 0; i < taskMeans.length; i++) requireProbability("taskMeans", taskMeans[i] ?? 0);
  requireInteger("totalTrials", totalTrials, { low: taskMeans.length });
  const { mean: rate, se, n, clusters } = meanInterval(taskMeans, { level, clusters: given });
  const bounds = computeRateBounds({ rate, se, tasks: n, trials: totalTrials, level, clusters });
  return { rate, n, ...bounds, ...(clusters === undefined ? {} : { clusters }) };
}

/** A ratio of means with its interval. */
export interface RatioInterval extends OpenInterval {
  /** Mean numerator over mean denominator; Infinity if every denominator is 0. */
  ratio: number;
  se: number | null;
  /** The squared relative t-width of the denominator: at 1 or more it may be zero, and the ratio has no upper bound. */
  g: number | null;
  n: number;
  /** True if the data cannot bound the ratio from above; `high` is then null. */
  unbounded: boolean;
  /** The number of clusters, if given. */
  clusters?: number;
}

/** Options of `ratioInterval`. */
export interface RatioIntervalOptions {
  level?: number | undefined;
  /** The cluster of each task; tasks of one cluster are not independent. */
  clusters?: Clusters | undefined;
}

interface RatioMoments {
  ratio: number;
  denominator: number;
  varianceOfDenominator: number;
  varianceOfRatio: number;
  /** The number of independent units: clusters or tasks. */
  units: number;
}

function requireRatioInputs(numerators: Numbers, denominators: Numbers): void {
  requireNonNegative("numerators", numerators);
  requireNonNegative("denominators", denominators);
}

function requireNonNegative(name: string, values: Numbers): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`${name} must be finite and not negative, got ${value}`);
    }
  }
}

function computeMoments(numerators: Numbers, denominators: Numbers): RatioMoments {
  const n = numerators.length;
  const denominator = mean(denominators);
  const ratio = sum(numerators) / sum(denominators);
  const pairs = n * (n - 1);
  let squares = 0;
  let residuals = 0;
  // Checked here, because a separate loop would double the time.
  let areUsable = Number.isFinite(sum(numerators) + denominator);
  for (let i = 0; i < n; i++) {
    const x = denominators[i] ?? 0;
    const y = numerators[i] ?? 0;
    if (!(x >= 0 && y >= 0)) areUsable = false;
    const distance = x - denominator;
    squares += distance * distance;
    // v_y - 2R c_xy + R² v_x is the variance of y - Rx; computed this way it cannot be negative.
    const residual = y - ratio * x;
    residuals += residual * residual;
  }
  if (!areUsable) requireRatioInputs(numerators, denominators);
  return {
    ratio,
    denominator,
    varianceOfDenominator: squares / pairs,
    varianceOfRatio: residuals / pairs / denominator ** 2,
    units: n,
  };
}

/** With clusters as independent units: deviations are summed within each before squaring. */
function computeClusteredMoments(numerators: Numbers, denominators: Numbers, clusters: Clusters): RatioMoments {
  requireRatioInputs(numerators, denominators);
  const n = numerators.length;
  const denominator = mean(denominators);
  const ratio = sum(numerators) / sum(denominators);
  const residuals = Float64Array.from(numerators, (y, i) => y - ratio * (denominators[i] ?? 0));
  const spreads = sumByCluster(denominators, clusters, denominator);
  const units = spreads.length;
  const pairs = (n * n * (units - 1)) / units;
  return {
    ratio,
    denominator,
    varianceOfDenominator: sumSquaredDeviations(spreads, 0) / pairs,
    varianceOfRatio: sumSquaredDeviations(sumByCluster(residuals, clusters), 0) / pairs / denominator ** 2,
    units,
  };
}

/**
 * A ratio of means over tasks (cost per pass, tokens per pass) with its delta-method interval on the log scale.
 * @example
 * ratioInterval([0.11, 0.29, 0.055], [1, 0.5, 1]); // dollars over passes, one value per task
 * ratioInterval([0.11, 0.29, 0.055], [1, 0.5, 1], { clusters: ["a", "a", "b"] });
 */
export function ratioInterval(
  numerators: Numbers,
  denominators: Numbers,
  options: RatioIntervalOptions = {},
): RatioInterval {
  const { level = DEFAULT_LEVEL, clusters } = options;
  requireOpenProbability("level", level);
  requireSameLength("numerators and denominators", numerators.length, denominators.length);
  const n = numerators.length;
  if (clusters === undefined) return { ...computeRatioBounds(computeMoments(numerators, denominators), level), n };
  requireSameLength("numerators and clusters", n, clusters.length);
  const found = computeClusteredMoments(numerators, denominators, clusters);
  return { ...computeRatioBounds(found, level), n, clusters: found.units };
}

function computeRatioBounds(found: RatioMoments, level: number): Omit<RatioInterval, "n" | "clusters"> {
  const { ratio, denominator, varianceOfDenominator, varianceOfRatio, units } = found;
  // Also without tasks, where the mean is 0.
  if (denominator === 0) {
    return { ratio: Number.POSITIVE_INFINITY, se: null, ...NO_INTERVAL, g: null, unbounded: true };
  }
  if (units < 2) return { ratio, se: null, ...NO_INTERVAL, g: null, unbounded: false };

  const t = studentQuantile((1 + level) / 2, units - 1);
  const g = (t * t * varianceOfDenominator) / denominator ** 2;
  const se = Math.sqrt(varianceOfRatio);
  // If nothing was spent, the scale is unknown.
  if (ratio === 0) return { ratio, se, ...NO_INTERVAL, g, unbounded: false };
  const factor = Math.exp((t * se) / ratio);
  const unbounded = g >= 1 || factor === Number.POSITIVE_INFINITY;
  return { ratio, se, low: ratio / factor, high: unbounded ? null : ratio * factor, g, unbounded };
}
