import { requireInteger, requireOpenProbability } from "./domain.js";
import { DEFAULT_LEVEL, type Interval } from "./interval.js";
import { normalQuantile } from "./normal.js";

/** Wilson's bounds for a rate seen in n (not necessarily whole) trials, z standard errors wide. */
export function wilsonBounds(rate: number, n: number, z: number): Interval {
  const square = (z * z) / n;
  const centre = (rate + square / 2) / (1 + square);
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n))) / (1 + square);
  // At the ends the bound is exactly the end; rounding would print -1e-17, or leave the rate out of a narrow interval.
  return {
    low: rate === 0 ? 0 : Math.min(rate, Math.max(0, centre - half)),
    high: rate === 1 ? 1 : Math.max(rate, Math.min(1, centre + half)),
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
  return wilsonBounds(passes / n, n, normalQuantile((1 + level) / 2));
}
