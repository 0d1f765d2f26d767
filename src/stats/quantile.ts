import { requireProbability } from "./domain.js";
import type { Numbers } from "./mean.js";

/** A sorted copy in unboxed memory, which the engine sorts without calling back into JavaScript. */
function sortedCopy(values: Numbers): Float64Array {
  return new Float64Array(values).sort();
}

/** Between two neighbours; equal ones (two infinities among them) are returned as they are. */
function interpolate(low: number, high: number, fraction: number): number {
  return fraction === 0 || low === high ? low : low + (high - low) * fraction;
}

/**
 * The p-quantile of values that are sorted already, by linear interpolation (type 7).
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
  return quantileSorted(sortedCopy(values), p);
}

/**
 * The middle value, or the mean of the middle two.
 * @example
 * median([5, 1, 2, 4]); // 3
 */
export function median(values: Numbers): number {
  return quantile(values, 0.5);
}
