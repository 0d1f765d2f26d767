import type { Estimate, Tasks } from "../core/metric.js";
import { quantileBootstrapInterval, quantileBootstrapIntervalSorted, quantileSorted } from "../stats/index.js";
import { bounded } from "./estimates.js";
import { type Read, type TaskSums, valuesByGroup, valuesByTask, valuesOf } from "./tasks.js";

/** A value of the rows, by task, and the seed of its resamples. */
interface Measured {
  read: Read;
  sums: TaskSums;
  seed: number;
}

/**
 * Quantiles over rows, with bootstrap intervals over tasks: all trials of a task travel together, and all tasks of a
 * group where they share one. Of no values every quantile is 0.
 */
export function quantileEstimator(tasks: Tasks, { read, sums, seed }: Measured): (p: number) => Estimate {
  const sorted = (sums.counts === null ? sums.sums.slice() : valuesOf(tasks.rows, read)).sort();
  const byGroup = sums.groups === null ? null : valuesByGroup(tasks, read);
  const units = byGroup ?? valuesByTask(tasks, read);
  return (p) => {
    const { low, high } =
      units === null
        ? quantileBootstrapIntervalSorted(sorted, p, { seed })
        : quantileBootstrapInterval(units, p, { seed });
    const value = sorted.length === 0 ? 0 : quantileSorted(sorted, p);
    return { value, interval: bounded({ low, high, n: sums.sums.length, groups: byGroup?.length }) };
  };
}
