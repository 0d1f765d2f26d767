import type { Column, Estimate, EstimateInterval, Tasks } from "../core/metric.js";
import { type EvalRow, hasOutput, scoreOf } from "../core/row.js";
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
  wilsonInterval,
} from "../stats/index.js";
import { sum } from "../stats/mean.js";
import { meansOf, sumByTask, type TaskSums, trialsOf } from "./tasks.js";

const TOO_FEW = "fewer than two tasks";
const ONE_GROUP = "one group";
const ALL_ZERO = "every value is 0";

/** The mean of a score over tasks. Of 0/1 scores it is a rate, so that its interval is that of the pass rate. */
export function estimateScore(tasks: Tasks, column: Column): Estimate {
  const sums = sumByTask(tasks, column);
  if (column.every(isBinary)) return estimateRate(sums);
  const means = meansOf(sums);
  // Evaluators keep to [0, 1]; rows that were made by hand or imported may not.
  return meanEstimate(means.every(isShare) ? scoreInterval : meanInterval, means, sums);
}

/** A value that is absent is NaN, and says nothing against it. */
function isBinary(value: number): boolean {
  return value === 0 || value === 1 || Number.isNaN(value);
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}

/** The mean over tasks of an amount that cannot be negative: dollars, tokens, seconds. */
export function estimateAmount(tasks: TaskSums): Estimate {
  return meanEstimate(amountInterval, meansOf(tasks), tasks);
}

type IntervalOfMean = (values: Numbers, options: { clusters?: Uint32Array | undefined }) => MeanInterval;

function meanEstimate(intervalOf: IntervalOfMean, means: Float64Array, { groups }: TaskSums): Estimate {
  const { mean, low, high, n, se, clusters } = intervalOf(means, { clusters: groups ?? undefined });
  const reason = se === null ? undefined : ALL_ZERO;
  return { value: mean, interval: bounded({ low, high, n, groups: clusters, reason }) };
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

/** A ratio of totals over tasks; infinite where there is nothing to divide by. */
export function estimateRatio(
  numerators: Float64Array,
  denominators: Pick<TaskSums, "sums" | "groups">,
  counted: "passes" | "input tokens" | "context tokens" = "passes",
): Estimate & { value: number; interval: EstimateInterval } {
  const { sums, groups } = denominators;
  const found = ratioInterval(numerators, sums, { clusters: groups ?? undefined });
  const { ratio, low, high, n, clusters } = found;
  const reason = reasonWithoutBound(found, counted);
  return { value: ratio, interval: bounded({ low, high, n, groups: clusters, reason }) };
}

function reasonWithoutBound(found: ReturnType<typeof ratioInterval>, counted: string): string | undefined {
  if (found.unbounded) return found.low === null ? `no ${counted}` : `no upper bound: too few ${counted}`;
  return found.se === null ? undefined : ALL_ZERO;
}

interface Bounds {
  low: number | null;
  high: number | null;
  n: number;
  groups?: number | undefined;
  /** Why a bound is null; left out, because there are too few tasks or groups. */
  reason?: string | undefined;
}

/** An interval that may not exist, with the reason. */
export function bounded({ low, high, n, groups, reason }: Bounds): EstimateInterval {
  const interval = { low, high, n, ...(groups === undefined ? {} : { groups }) };
  if (low !== null && high !== null) return interval;
  return { ...interval, reason: reason ?? (groups === 1 ? ONE_GROUP : TOO_FEW) };
}

/** 1 − x, with its interval. */
export function complement({ value, interval }: ReturnType<typeof estimateRatio>): Estimate {
  const { low, high, ...rest } = interval;
  return {
    value: 1 - value,
    interval: { low: high === null ? null : 1 - high, high: low === null ? null : 1 - low, ...rest },
  };
}

/**
 * Quantiles over rows, with order-statistic intervals. The independent units are tasks, or groups where tasks share
 * them: the values of a unit count as though they were all the same. Of no values every quantile is 0.
 */
export function quantileEstimator(tasks: Tasks, column: Column): (p: number) => Estimate {
  const sorted = present(column).slice().sort();
  const sums = sumByTask(tasks, column);
  const sizes = sizesOfUnits(sums);
  const units = sizes === null ? sorted.length : effectiveUnits(sizes);
  const groups = sums.groups === null ? undefined : sizes?.length;
  return (p) => {
    const { low, high } = quantileInterval(sorted, p, { units });
    const value = sorted.length === 0 ? 0 : quantileSorted(sorted, p);
    const reason = groups === 1 || units < 2 ? undefined : `too few ${groups === undefined ? "tasks" : "groups"}`;
    return { value, interval: bounded({ low, high, n: sums.sums.length, groups, reason }) };
  };
}

/** How many values each independent unit has; null when it is one each. */
function sizesOfUnits({ sums, counts, groups }: TaskSums): ArrayLike<number> | null {
  if (groups === null) return counts;
  const sizes = new Map<number, number>();
  for (let i = 0; i < sums.length; i++) {
    const group = groups[i] ?? 0;
    sizes.set(group, (sizes.get(group) ?? 0) + (counts?.[i] ?? 1));
  }
  return [...sizes.values()];
}

/** A value of a row; undefined when it has none. */
export type Read = (row: EvalRow) => number | undefined;

/** A value of each row. */
export function readColumn(rows: readonly EvalRow[], read: Read): Column {
  const column = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) column[i] = read(rows[i] as EvalRow) ?? Number.NaN;
  return column;
}

/** How many rows are so. Of a million rows, a list of those would be large. */
export function countRows(rows: readonly EvalRow[], is: (row: EvalRow) => boolean): number {
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (is(rows[i] as EvalRow)) count += 1;
  return count;
}

/** The values that are there. */
export function present(column: Column): Float64Array {
  return column.includes(Number.NaN) ? column.filter((value) => !Number.isNaN(value)) : column;
}

/** The values of rows that have another one as well. */
export function whereGiven(column: Column, other: Column): Column {
  return other.includes(Number.NaN) ? column.map((value, i) => (Number.isNaN(other[i]) ? Number.NaN : value)) : column;
}

/** The values, and 0 for rows that have none. */
export function orZero(column: Column): Column {
  return column.includes(Number.NaN) ? column.map((value) => (Number.isNaN(value) ? 0 : value)) : column;
}

/** 1 for rows whose value is at least the threshold, 0 for the others. */
export function atLeast(column: Column, threshold: number): Column {
  const passes = new Float64Array(column.length);
  for (let i = 0; i < column.length; i++) passes[i] = (column[i] ?? 0) >= threshold ? 1 : 0;
  return passes;
}

/** Both together, row by row. */
export function added(a: Column, b: Column): Column {
  const sums = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) sums[i] = (a[i] ?? 0) + (b[i] ?? 0);
  return sums;
}

/** The tokens that systems were given, of trials that have an output. */
export function readGiven(rows: readonly EvalRow[]): Column {
  return readColumn(rows, (row) => (hasOutput(row) ? row.inputTokens : undefined));
}

export function readOutputTokens(rows: readonly EvalRow[]): Column {
  return readColumn(rows, (row) => row.outputTokens);
}

export function readScore(rows: readonly EvalRow[], field: string): Column {
  return readColumn(rows, (row) => scoreOf(row, field));
}
