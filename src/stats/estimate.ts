import { bootstrapInterval } from "./bootstrap.js";
import { normalQuantile } from "./distributions.js";
import { computeWilsonBounds, NO_INTERVAL, type OpenInterval } from "./intervals.js";

/** A figure with its 95 % interval. The value is null if undefined; there is no interval for too few items. */
export interface Estimate extends OpenInterval {
  readonly value: number | null;
  /** The number of items or verdicts it is based on. */
  readonly n: number;
}

/** With fewer items no interval is given: resamples of a few rows say little. */
const MIN_ITEMS = 10;
const Z = normalQuantile(0.975);

/**
 * The share of n verdicts, with a Wilson interval over the items they are about: two orders of a pair, or three judges of
 * it, are one item.
 */
export function estimateProportion(hits: number, n: number, items = n): Estimate {
  if (n === 0) return { value: null, ...NO_INTERVAL, n };
  const value = hits / n;
  return { value, ...(items < MIN_ITEMS ? NO_INTERVAL : computeWilsonBounds(value, items, Z)), n };
}

/** Sorting every resample of very many items would take long. */
const MAX_DRAWS = 2e6;

/** A statistic of the items with a bootstrap interval; without an interval if there are too few items. */
export function bootstrapEstimate<T>(items: readonly T[], figure: (items: readonly T[]) => number | null): Estimate {
  const value = figure(items);
  if (value === null || items.length < MIN_ITEMS) return { value, ...NO_INTERVAL, n: items.length };
  const resamples = Math.min(2000, Math.max(200, Math.floor(MAX_DRAWS / items.length)));
  const { low, high } = bootstrapInterval(items, (sample) => figure(sample) ?? Number.NaN, { seed: 0, resamples });
  return { value, low, high, n: items.length };
}
