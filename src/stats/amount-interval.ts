import { requireOpenProbability } from "./domain.js";
import { DEFAULT_LEVEL, NO_INTERVAL } from "./interval.js";
import type { Numbers } from "./mean.js";
import { type MeanInterval, type MeanIntervalOptions, meanInterval } from "./mean-interval.js";
import { studentQuantile } from "./student.js";

/**
 * The mean of an amount that cannot be negative (dollars, tokens, seconds), with a t interval on the logarithmic scale,
 * so that it never goes below 0. There is none where every value is 0: nothing tells how large a value could be.
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
