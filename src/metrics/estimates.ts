import type { Estimate, EstimateInterval } from "../core/metric.js";
import { meanInterval, passRateInterval, ratioInterval, wilsonInterval } from "../stats/index.js";
import { sum } from "../stats/mean.js";
import { meansOf, type TaskSums, trialsOf } from "./tasks.js";

const TOO_FEW = "fewer than two tasks";
const ONE_GROUP = "one group";

/** A mean over tasks with its t interval, by groups where tasks share them. */
export function estimateMean(tasks: TaskSums): Estimate {
  const { mean, low, high, n, clusters } = meanInterval(meansOf(tasks), { clusters: tasks.groups ?? undefined });
  return { value: mean, interval: bounded({ low, high, n, groups: clusters }) };
}

/** A rate over tasks: Wilson for one trial each, Wilson at the effective number of trials for several and for groups. */
export function estimateRate(tasks: TaskSums): Estimate {
  const { sums, counts, groups } = tasks;
  if (counts === null && groups === null && sums.length > 0) return estimateShare(sum(sums), sums.length);
  const options = { clusters: groups ?? undefined };
  const { rate, low, high, n, clusters } = passRateInterval(meansOf(tasks), trialsOf(tasks), options);
  return { value: rate, interval: bounded({ low, high, n, groups: clusters }) };
}

/** How many of n: the rate of tasks with one trial each. */
export function estimateShare(count: number, n: number): Estimate {
  return { value: count / n, interval: { ...wilsonInterval(count, n), n } };
}

/** The interval of a ratio of totals over tasks; its value is the caller's, who knows what 0 / 0 means. */
export function ratioBounds(
  numerators: Float64Array,
  denominators: Pick<TaskSums, "sums" | "groups">,
  counted: "passes" | "input tokens" = "passes",
): EstimateInterval {
  const { sums, groups } = denominators;
  const { low, high, n, unbounded, clusters } = ratioInterval(numerators, sums, { clusters: groups ?? undefined });
  const interval = bounded({ low, high, n, groups: clusters });
  if (!unbounded) return interval;
  return { ...interval, reason: low === null ? `no ${counted}` : `no upper bound: too few ${counted}` };
}

interface Bounds {
  low: number | null;
  high: number | null;
  n: number;
  groups?: number | undefined;
}

/** An interval that may not exist, with the usual reason. */
export function bounded({ low, high, n, groups }: Bounds): EstimateInterval {
  const interval = { low, high, n, ...(groups === undefined ? {} : { groups }) };
  if (low !== null && high !== null) return interval;
  return { ...interval, reason: groups === 1 ? ONE_GROUP : TOO_FEW };
}

/** The interval of 1 − x from that of x. */
export function complement({ low, high, ...rest }: EstimateInterval): EstimateInterval {
  return { low: high === null ? null : 1 - high, high: low === null ? null : 1 - low, ...rest };
}
