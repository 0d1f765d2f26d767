import {
  type Estimate,
  type EvalRow,
  getMeasure,
  MEASURE_PREFIX,
  type Metric,
  type MetricContext,
  pickValues,
} from "../core/index.js";
import { meanInterval } from "../stats/index.js";
import { toEstimateInterval } from "./estimates.js";
import { computeTaskMeans, getTaskIndex, readColumn, sumByTask } from "./tasks.js";

/**
 * The mean of every measure, over the rows that have it.
 * @example
 * new Measures().compute(rows); // { "measure:characters": 412.5 }
 */
export class Measures implements Metric {
  readonly name = "measures";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const fields = new Set(rows.flatMap(({ measures }) => Object.keys(measures ?? {})));
    const tasks = getTaskIndex(rows, context);
    const estimates = new Map<string, Estimate>();
    for (const field of fields) {
      const sums = sumByTask(
        tasks,
        readColumn(tasks.rows, (row) => getMeasure(row, field)),
      );
      const { mean, low, high, n, clusters } = meanInterval(computeTaskMeans(sums), {
        clusters: sums.groups ?? undefined,
      });
      estimates.set(`${MEASURE_PREFIX}${field}`, {
        value: mean,
        interval: toEstimateInterval({ low, high, n, groups: clusters }),
      });
    }
    return Object.fromEntries(estimates);
  }

  /** Measures are not declared, so their keys are unknown before the run. */
  keys() {
    return [];
  }
}
