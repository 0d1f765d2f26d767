import type { Estimate, EstimateInterval, NumberColumn, TaskIndex } from "../core/index.js";
import {
  amountInterval,
  effectiveUnits,
  type MeanInterval,
  meanInterval,
  type Numbers,
  passRateInterval,
  quantileInterval,
  quantileSorted,
  ratioInterval,
  scoreInterval,
  sum,
  wilsonInterval,
} from "../stats/index.js";
import { computeTaskMeans, countTaskTrials, filterPresent, sumByTask, type TaskSums } from "./tasks.js";

const TOO_FEW_TASKS = "fewer than two tasks";
const ONE_GROUP = "one group";
const ALL_ZERO = "every value is 0";

/** The mean of a score over tasks. For 0/1 scores it is a rate with the interval of the pass rate. */
export function estimateScore(tasks: TaskIndex, column: NumberColumn): Estimate {
  const sums = sumByTask(tasks, column);
  if (column.every(isBinaryOrMissing)) return estimateRate(sums);
  const means = computeTaskMeans(sums);
  // Evaluators keep to [0, 1]; hand-made or imported rows may not.
  return estimateMean(means.every(isShare) ? scoreInterval : meanInterval, means, sums);
}

/** Missing values are NaN. */
function isBinaryOrMissing(value: number): boolean {
  return value === 0 || value === 1 || Number.isNaN(value);
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}

/** The mean over tasks of a non-negative amount: dollars, tokens, seconds. */
export function estimateAmount(tasks: TaskSums): Estimate {
  return estimateMean(amountInterval, computeTaskMeans(tasks), tasks);
}

type MeanIntervalFunction = (values: Numbers, options: { clusters?: Uint32Array | undefined }) => MeanInterval;

function estimateMean(intervalOf: MeanIntervalFunction, means: Float64Array, { groups }: TaskSums): Estimate {
  const { mean, low, high, n, se, clusters } = intervalOf(means, { clusters: groups ?? undefined });
  const reason = se === null ? undefined : ALL_ZERO;
  return { value: mean, interval: toEstimateInterval({ low, high, n, groups: clusters, reason }) };
}

/** A rate over tasks: Wilson for one trial each, Wilson at the effective number of trials for several trials or groups. */
export function estimateRate(tasks: TaskSums): Estimate {
  const { sums, counts, groups } = tasks;
  if (counts === null && groups === null && sums.length > 0) return estimateShare(sum(sums), sums.length);
  const options = { clusters: groups ?? undefined };
  const { rate, low, high, n, clusters } = passRateInterval(computeTaskMeans(tasks), countTaskTrials(tasks), options);
  return { value: rate, interval: toEstimateInterval({ low, high, n, groups: clusters }) };
}

/** The rate of tasks with one trial each. */
export function estimateShare(count: number, n: number): Estimate {
  return { value: count / n, interval: { ...wilsonInterval(count, n), n } };
}

/** A ratio of totals over tasks; infinite if the denominator is 0. */
export function estimateRatio(
  numerators: Float64Array,
  denominators: Pick<TaskSums, "sums" | "groups">,
  counted: "passes" | "input tokens" | "context tokens" = "passes",
): Estimate & { value: number; interval: EstimateInterval } {
  const { sums, groups } = denominators;
  const found = ratioInterval(numerators, sums, { clusters: groups ?? undefined });
  const { ratio, low, high, n, clusters } = found;
  const reason = explainMissingBound(found, counted);
  return { value: ratio, interval: toEstimateInterval({ low, high, n, groups: clusters, reason }) };
}

function explainMissingBound(found: ReturnType<typeof ratioInterval>, counted: string): string | undefined {
  if (found.unbounded) return found.low === null ? `no ${counted}` : `no upper bound: too few ${counted}`;
  return found.se === null ? undefined : ALL_ZERO;
}

interface IntervalBounds {
  low: number | null;
  high: number | null;
  n: number;
  groups?: number | undefined;
  /** Why a bound is null. Default: too few tasks or groups. */
  reason?: string | undefined;
}

export function toEstimateInterval({ low, high, n, groups, reason }: IntervalBounds): EstimateInterval {
  const interval = { low, high, n, ...(groups === undefined ? {} : { groups }) };
  if (low !== null && high !== null) return interval;
  return { ...interval, reason: reason ?? (groups === 1 ? ONE_GROUP : TOO_FEW_TASKS) };
}

/** 1 − x, with its interval. */
export function toComplement({ value, interval }: ReturnType<typeof estimateRatio>): Estimate {
  const { low, high, ...rest } = interval;
  return {
    value: 1 - value,
    interval: { low: high === null ? null : 1 - high, high: low === null ? null : 1 - low, ...rest },
  };
}

/**
 * Quantiles over rows, with order-statistic intervals. The independent units are tasks, or groups if tasks share them;
 * values within a unit are treated as equal. Without values every quantile is 0.
 */
export function createQuantileEstimator(tasks: TaskIndex, column: NumberColumn): (p: number) => Estimate {
  const sorted = filterPresent(column).slice().sort();
  const sums = sumByTask(tasks, column);
  const sizes = countUnitSizes(sums);
  const units = sizes === null ? sorted.length : effectiveUnits(sizes);
  const groups = sums.groups === null ? undefined : sizes?.length;
  return (p) => {
    const { low, high } = quantileInterval(sorted, p, { units });
    const value = sorted.length === 0 ? 0 : quantileSorted(sorted, p);
    const reason = groups === 1 || units < 2 ? undefined : `too few ${groups === undefined ? "tasks" : "groups"}`;
    return { value, interval: toEstimateInterval({ low, high, n: sums.sums.length, groups, reason }) };
  };
}

/** The number of values of each independent unit; null if it is one each. */
function countUnitSizes({ sums, counts, groups }: TaskSums): ArrayLike<number> | null {
  if (groups === null) return counts;
  const sizes = new Map<number, number>();
  for (let i = 0; i < sums.length; i++) {
    const group = groups[i] ?? 0;
    sizes.set(group, (sizes.get(group) ?? 0) + (counts?.[i] ?? 1));
  }
  return [...sizes.values()];
}
