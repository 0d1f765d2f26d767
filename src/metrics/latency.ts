import { type Estimate, type EvalRow, hasOutput, type Metric, type MetricContext, pickValues } from "../core/index.js";
import { createQuantileEstimator, estimateAmount } from "./estimates.js";
import { getTaskIndex, readColumn, sumByTask } from "./tasks.js";

/**
 * Seconds inside `System.process`, without retries and waiting.
 * @example
 * new Latency().compute(rows); // { latency_mean, latency_median, latency_p95, latency_p99 }
 */
export class Latency implements Metric {
  readonly name = "latency";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(
    rows: readonly EvalRow[],
    context?: MetricContext,
  ): Record<"latency_mean" | "latency_median" | "latency_p95" | "latency_p99", Estimate> {
    const tasks = getTaskIndex(rows, context);
    const latency = readColumn(tasks.rows, (row) => (hasOutput(row) ? (row.latency ?? undefined) : undefined));
    const latencies = sumByTask(tasks, latency);
    const quantile = createQuantileEstimator(tasks, latency);
    return {
      latency_mean: estimateAmount(latencies),
      latency_median: quantile(0.5),
      latency_p95: quantile(0.95),
      latency_p99: quantile(0.99),
    };
  }

  keys() {
    return ["latency_mean", "latency_median", "latency_p95", "latency_p99"] as const;
  }
}
