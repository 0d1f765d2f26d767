import type { Estimate, Metric, MetricContext } from "../core/metric.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import { quantileBootstrapInterval, quantileBootstrapIntervalSorted, quantileSorted } from "../stats/index.js";
import { bounded, estimateMean } from "./estimates.js";
import { hasSeveralTrials, mean, meansByTask, valuesByTask } from "./tasks.js";

const QUANTILES = { latency_median: 0.5, latency_p95: 0.95, latency_p99: 0.99 } as const;

/**
 * Seconds inside `System.process`; retries and waiting for a slot are not in it.
 * @example
 * new Latency().compute(rows); // { latency_mean, latency_median, latency_p95, latency_p99 }
 */
export class Latency implements Metric {
  readonly name = "latency";

  compute(rows: readonly EvalRow[]): Record<string, number> {
    const sorted = sortedLatencies(rows);
    const at = (p: number) => (sorted.length === 0 ? 0 : quantileSorted(sorted, p));
    const quantiles = Object.entries(QUANTILES).map(([key, p]) => [key, at(p)]);
    return { latency_mean: mean(meansByTask(rows, latencyOf)), ...Object.fromEntries(quantiles) };
  }

  intervals(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const options = { seed: context?.seed ?? 0 };
    const interval = hasSeveralTrials(rows) ? overTasks(rows, options) : overSorted(rows, options);
    const quantiles = Object.entries(QUANTILES).map(([key, p]) => [key, interval(p)]);
    return { latency_mean: estimateMean(meansByTask(rows, latencyOf)), ...Object.fromEntries(quantiles) };
  }
}

type QuantileEstimate = (p: number) => Estimate;

function overSorted(rows: readonly EvalRow[], options: { seed: number }): QuantileEstimate {
  const sorted = sortedLatencies(rows);
  return (p) => {
    const { low, high, n } = quantileBootstrapIntervalSorted(sorted, p, options);
    return bounded(low, high, n);
  };
}

function overTasks(rows: readonly EvalRow[], options: { seed: number }): QuantileEstimate {
  const tasks = valuesByTask(rows, latencyOf);
  return (p) => {
    const { low, high, n } = quantileBootstrapInterval(tasks, p, options);
    return bounded(low, high, n);
  };
}

const latencyOf = (row: EvalRow) => (hasOutput(row) ? (row.latency ?? undefined) : undefined);

function sortedLatencies(rows: readonly EvalRow[]): Float64Array {
  const values = new Float64Array(rows.length);
  let n = 0;
  for (const row of rows) {
    const value = latencyOf(row);
    if (value !== undefined) values[n++] = value;
  }
  return values.subarray(0, n).sort();
}
