import { binomialCdf, requireOpenProbability, requireProbability } from "./distributions.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./intervals.js";
import type { Numbers } from "./mean.js";

/** Typed arrays sort without calling back into JavaScript. */
function copySorted(values: Numbers): Float64Array {
  return new Float64Array(values).sort();
}

/** Equal neighbors, including infinities, are returned unchanged. */
function interpolate(low: number, high: number, fraction: number): number {
  return fraction === 0 || low === high ? low : low + (high - low) * fraction;
}

/**
 * The p-quantile of sorted values, by linear interpolation (type 7).
 * @example
 * quantileSorted(Float64Array.of(1, 2, 3, 4), 0.5); // 2.5
 */
export function quantileSorted(sorted: Numbers, p: number): number {
  requireProbability("p", p);
  const position = (sorted.length - 1) * p;
  const index = Math.floor(position);
  const low = sorted[index];
  if (low === undefined) throw new RangeError("values must not be empty");
  return interpolate(low, sorted[index + 1] ?? low, position - index);
}

/**
 * The p-quantile by linear interpolation (type 7, the default of R and NumPy).
 * @example
 * quantile([3, 1, 2, 10], 0.95); // 8.95
 */
export function quantile(values: Numbers, p: number): number {
  return quantileSorted(copySorted(values), p);
}

/**
 * The middle value, or the mean of the middle two.
 * @example
 * median([5, 1, 2, 4]); // 3
 */
export function median(values: Numbers): number {
  return quantile(values, 0.5);
}

/** Options of `quantileInterval`. */
export interface QuantileIntervalOptions {
  level?: number | undefined;
  /**
   * The number of independent units that the values come from. Default: every value is one. Values of one unit (the trials
   * of a task, the tasks of a conversation) are treated as equal.
   */
  units?: number | undefined;
}

/**
 * The interval of the p-quantile between two order statistics, with ranks from the binomial distribution: for any
 * distribution, each end misses the quantile with a probability of at most (1 − level) / 2. An end is null if there are too
 * few values: at 95 %, the median needs 6, and the upper end of p95 72.
 * @example
 * quantileInterval(Float64Array.of(1, 2, 3, 5, 8, 9, 12), 0.5); // { low: 1, high: 12 }
 */
export function quantileInterval(sorted: Float64Array, p: number, options: QuantileIntervalOptions = {}): OpenInterval {
  const { level = DEFAULT_LEVEL, units = sorted.length } = options;
  requireOpenProbability("p", p);
  requireOpenProbability("level", level);
  const n = Math.min(sorted.length, Math.floor(units));
  if (n < 2) return NO_INTERVAL;
  const tail = (1 - level) / 2;
  const low = findRank(n, (rank) => binomialCdf(rank, n, p) > tail);
  const high = findRank(n, (rank) => 1 - binomialCdf(rank, n, p) <= tail);
  // With equal values within a unit, use the first value of the lower unit and the last of the upper one.
  const scale = sorted.length / n;
  // With few values all may lie below p99 although its estimate lies between them; include the estimate.
  const position = (sorted.length - 1) * p;
  return {
    low: low === 0 ? null : (sorted[Math.floor(Math.min((low - 1) * scale, position))] ?? null),
    high: high >= n ? null : (sorted[Math.ceil(Math.max((high + 1) * scale - 1, position))] ?? null),
  };
}

/** The lowest rank at which a monotone condition holds; n if it never does. */
function findRank(n: number, holds: (rank: number) => boolean): number {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Kish's effective sample size: the number of equal-sized units with the same information, if values within a unit are
 * equal.
 * @example
 * effectiveUnits([3, 3, 3]); // 3
 * effectiveUnits([8, 1, 1]); // 1.51…
 */
export function effectiveUnits(sizes: ArrayLike<number>): number {
  let total = 0;
  let squares = 0;
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i] ?? 0;
    total += size;
    squares += size * size;
  }
  return total === 0 ? 0 : (total * total) / squares;
}
