import type { MetricComparison } from "../../../../src/metrics/compare/index.js";
import { formatComparedValue, formatMetricName, formatPValue } from "../../../../src/report/compare-cells.js";

type ComparedMetric = Pick<MetricComparison, "metric" | "kind">;

const METRIC_TITLES = new Map([
  ["pass_rate", "pass rate"],
  ["mean_score", "mean score"],
  ["mean_cost_usd", "cost per trial"],
  ["latency_mean", "mean latency"],
  ["duration_mean", "mean duration"],
  ["mean_output_tokens", "output tokens per trial"],
  ["mean_turns", "turns per trial"],
]);

/** A score field keeps its own name. */
export function formatMetricTitle(metric: ComparedMetric): string {
  return METRIC_TITLES.get(metric.metric) ?? formatMetricName(metric);
}

const SCORE_DIGITS = 3;

/** A figure of `assay compare`; scores have the same number of digits, so that a column lines up. */
export function formatMetricValue(metric: ComparedMetric, value: number | null): string {
  const size = Math.abs(value ?? 0);
  const isAligned = metric.kind !== "economy" && size < 100 && (size === 0 || size >= 0.5 * 10 ** -SCORE_DIGITS);
  return value !== null && isAligned ? value.toFixed(SCORE_DIGITS) : formatComparedValue(metric, value);
}

/**
 * A difference with its sign.
 * @example
 * formatMetricChange({ metric: "pass_rate", kind: "quality" }, -0.05); // "−0.050"
 */
export function formatMetricChange(metric: ComparedMetric, value: number | null): string {
  if (value === null || value === 0) return formatMetricValue(metric, value);
  return `${value > 0 ? "+" : "−"}${formatMetricValue(metric, Math.abs(value))}`;
}

/** The interval of B − A, without the difference. */
export function formatChangeInterval(metric: ComparedMetric & Pick<MetricComparison, "low" | "high">): string {
  const { low, high } = metric;
  if (low === null || high === null) return "–";
  return `[${formatMetricChange(metric, low)}, ${formatMetricChange(metric, high)}]`;
}

/**
 * A p-value with as many digits as the others of its column.
 * @example
 * formatPCell(0.5); // "0.500"
 */
export function formatPCell(p: number | null): string {
  return p === null || p < 0.001 ? formatPValue(p) : p.toFixed(3);
}
