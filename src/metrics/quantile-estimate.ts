import type { Estimate, NumberColumn, TaskIndex } from "../core/metric.js";
import { effectiveUnits, quantileInterval, quantileSorted } from "../stats/index.js";
import { filterPresent } from "./columns.js";
import { toEstimateInterval } from "./estimates.js";
import { sumByTask, type TaskSums } from "./tasks.js";

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
