import { type Estimate, type Metric, type MetricContext, valuesOf } from "../core/metric.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import { quantileBootstrapInterval, quantileBootstrapIntervalSorted, quantileSorted } from "../stats/index.js";
import { bounded, estimateMean } from "./estimates.js";
import { hasSeveralTrials, sumByTask, valuesByTask } from "./tasks.js";

/**
 * Seconds inside `System.process`; retries and waiting for a slot are not in it.
 * @example
 * new Latency().compute(rows); // { latency_mean, latency_median, latency_p95, latency_p99 }
 */
export class Latency implements Metric {
  readonly name = "latency";

  compute(rows: readonly EvalRow[]) {
    return valuesOf(this.estimate(rows));
  }

  estimate(
    rows: readonly EvalRow[],
    context?: MetricContext,
  ): Record<"latency_mean" | "latency_median" | "latency_p95" | "latency_p99", Estimate> {
    const quantile = quantileEstimator(rows, context?.seed ?? 0);
    return {
      latency_mean: estimateMean(sumByTask(rows, latencyOf)),
      latency_median: quantile(0.5),
      latency_p95: quantile(0.95),
      latency_p99: quantile(0.99),
    };
  }
}

const latencyOf = (row: EvalRow) => (hasOutput(row) ? (row.latency ?? undefined) : undefined);

/** Quantiles over rows, their intervals over tasks: all trials of a task travel together. */
function quantileEstimator(rows: readonly EvalRow[], seed: number): (p: number) => Estimate {
  const sorted = sortedLatencies(rows);
  const tasks = hasSeveralTrials(rows) ? valuesByTask(rows, latencyOf) : null;
  return (p) => {
    const bootstrap =
      tasks === null
        ? quantileBootstrapIntervalSorted(sorted, p, { seed })
        : quantileBootstrapInterval(tasks, p, { seed });
    const value = sorted.length === 0 ? 0 : quantileSorted(sorted, p);
    return { value, interval: bounded(bootstrap.low, bootstrap.high, bootstrap.n) };
  };
}

function sortedLatencies(rows: readonly EvalRow[]): Float64Array {
  const values = new Float64Array(rows.length);
  let n = 0;
  for (const row of rows) {
    const value = latencyOf(row);
    if (value !== undefined) values[n++] = value;
  }
  return values.subarray(0, n).sort();
}
