import type { EstimateInterval, Metric, MetricContext } from "../core/metric.js";
import type { EvalRow } from "../core/row.js";

export function collectIntervals(
  metric: Metric,
  rows: readonly EvalRow[],
  context?: MetricContext,
): Record<string, EstimateInterval> {
  const estimates = Object.entries(metric.estimate?.(rows, context) ?? {});
  return Object.fromEntries(
    estimates.flatMap(([key, { interval }]) => (interval === undefined ? [] : [[key, interval]])),
  );
}
