import { bareValues, type Estimate, type Metric, type MetricContext } from "../core/metric.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import { quantileBootstrapInterval, quantileBootstrapIntervalSorted, quantileSorted } from "../stats/index.js";
import { bounded, estimateMean } from "./estimates.js";
import { sumByTask, valuesByTask, valuesOf } from "./tasks.js";

/**
 * Seconds inside `System.process`; retries and waiting for a slot are not in it.
 * @example
 * new Latency().compute(rows); // { latency_mean, latency_median, latency_p95, latency_p99 }
 */
export class Latency implements Metric {
  readonly name = "latency";

  compute(rows: readonly EvalRow[]) {
    return bareValues(this.estimate(rows));
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
  const sorted = valuesOf(rows, latencyOf).sort();
  const tasks = valuesByTask(rows, latencyOf);
  return (p) => {
    const bootstrap =
      tasks === null
        ? quantileBootstrapIntervalSorted(sorted, p, { seed })
        : quantileBootstrapInterval(tasks, p, { seed });
    const value = sorted.length === 0 ? 0 : quantileSorted(sorted, p);
    return { value, interval: bounded(bootstrap.low, bootstrap.high, bootstrap.n) };
  };
}
