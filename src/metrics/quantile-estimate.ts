import type { Column, Estimate, Tasks } from "../core/metric.js";
import { quantileBootstrapInterval, quantileBootstrapIntervalSorted, quantileSorted } from "../stats/index.js";
import { present } from "./columns.js";
import { bounded } from "./estimates.js";
import { type TaskSums, valuesByGroup, valuesByTask } from "./tasks.js";

/** A value of the rows, by task, and the seed of its resamples. */
interface Measured {
  column: Column;
  sums: TaskSums;
  seed: number;
}

/**
 * Quantiles over rows, with bootstrap intervals over tasks: all trials of a task travel together, and all tasks of a
 * group where they share one. Of no values every quantile is 0.
 */
export function quantileEstimator(tasks: Tasks, { column, sums, seed }: Measured): (p: number) => Estimate {
  const sorted = present(column).slice().sort();
  const byGroup = sums.groups === null ? null : valuesByGroup(tasks, column);
  const units = byGroup ?? valuesByTask(tasks, column);
  return (p) => {
    const { low, high } =
      units === null
        ? quantileBootstrapIntervalSorted(sorted, p, { seed })
        : quantileBootstrapInterval(units, p, { seed });
    const value = sorted.length === 0 ? 0 : quantileSorted(sorted, p);
    return { value, interval: bounded({ low, high, n: sums.sums.length, groups: byGroup?.length }) };
  };
}
