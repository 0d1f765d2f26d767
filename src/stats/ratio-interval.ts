import { type Clusters, sumByCluster } from "./clusters.js";
import { requireOpenProbability, requireSameLength, studentQuantile } from "./distributions.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./intervals.js";
import { mean, type Numbers, sum, sumSquaredDeviations } from "./mean.js";

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
