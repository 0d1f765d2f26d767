import type { EstimateInterval, EvalRow, Metric, MetricContext } from "../core/index.js";

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
