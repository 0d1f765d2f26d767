import type { Estimate, EstimateInterval } from "../core/metric.js";
import { meanInterval, passRateInterval, ratioInterval, wilsonInterval } from "../stats/index.js";
import { meansOf, sum, type TaskSums, trialsOf } from "./tasks.js";

const TOO_FEW = "fewer than two tasks";

/** A mean over tasks with its t interval. */
export function estimateMean(tasks: TaskSums): Estimate {
  const { mean, low, high, n } = meanInterval(meansOf(tasks));
  return { value: mean, interval: bounded(low, high, n) };
}

/** A rate over tasks: Wilson for one trial each, Wilson at the effective number of trials for several. */
export function estimateRate(tasks: TaskSums): Estimate {
  const { sums, counts } = tasks;
  if (counts === null && sums.length > 0) return estimateShare(sum(sums), sums.length);
  const { rate, low, high, n } = passRateInterval(meansOf(tasks), trialsOf(tasks));
  return { value: rate, interval: bounded(low, high, n) };
}

/** How many of n: the rate of tasks with one trial each. */
export function estimateShare(count: number, n: number): Estimate {
  return { value: count / n, interval: { ...wilsonInterval(count, n), n } };
}

/** The interval of a ratio of totals over tasks; its value is the caller's, who knows what 0 / 0 means. */
export function ratioBounds(
  numerators: Float64Array,
  denominators: Float64Array,
  counted: "passes" | "input tokens" = "passes",
): EstimateInterval {
  const { low, high, n, unbounded } = ratioInterval(numerators, denominators);
  if (low === null) return { low, high, n, reason: unbounded ? `no ${counted}` : TOO_FEW };
  return high === null ? { low, high, n, reason: `no upper bound: too few ${counted}` } : { low, high, n };
}

/** An interval that may not exist, with the usual reason. */
export function bounded(low: number | null, high: number | null, n: number): EstimateInterval {
  return low === null || high === null ? { low, high, n, reason: TOO_FEW } : { low, high, n };
}

/** The interval of 1 − x from that of x. */
export function complement({ low, high, ...rest }: EstimateInterval): EstimateInterval {
  return { low: high === null ? null : 1 - high, high: low === null ? null : 1 - low, ...rest };
}
