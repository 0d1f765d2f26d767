import type { Change, Comparison, MetricComparison, TaskName } from "../metrics/compare/index.js";
import { formatDollars, formatNumber, formatSeconds } from "./format.js";
import { oneLine } from "./markdown.js";

type Format = (value: number | null) => string;

const FORMATS = new Map<string, Format>([
  ["mean_cost_usd", formatDollars],
  ["latency_mean", formatSeconds],
  ["duration_mean", formatSeconds],
  ["mean_output_tokens", (value) => formatNumber(value, 1)],
  ["mean_turns", (value) => formatNumber(value, 2)],
]);

/** Labels for the change of a metric, from B's point of view. */
export const CHANGE_WORDS: Readonly<Record<Change, string>> = {
  better: "better",
  worse: "worse",
  same: "the same",
  unclear: "not significantly different",
};

export function metricValue({ metric }: MetricComparison, value: number | null): string {
  return (FORMATS.get(metric) ?? formatNumber)(value);
}

/** With its sign, and with its interval if there is one. */
export function differenceCell(compared: MetricComparison): string {
  const { difference, low, high } = compared;
  const signed = signedIn(compared);
  if (difference === null || low === null || high === null) return signed(difference);
  return `${signed(difference)} [${signed(low)}, ${signed(high)}]`;
}

export function signedIn(compared: MetricComparison): Format {
  return (value) => {
    if (value === null || value === 0) return metricValue(compared, value);
    return `${value > 0 ? "+" : "-"}${metricValue(compared, Math.abs(value))}`;
  };
}

/**
 * @example
 * formatPValue(0.00001); // "<0.001"
 */
export function pValue(p: number | null): string {
  if (p === null) return "–";
  return p < 0.001 ? "<0.001" : String(Number(p.toFixed(3)));
}

/** A score field is shown by its own name. */
export function metricName({ metric }: Pick<MetricComparison, "metric">): string {
  return metric.replace(/^field:/, "");
}

/** Names tasks by their example, and also by their dataset where there are several. */
export function taskNamer({ flips, unmatched }: Comparison): (task: TaskName) => string {
  const tasks: readonly TaskName[] = [...flips.toFail, ...flips.toPass, ...flips.flaky, ...unmatched];
  const isOne = new Set(tasks.map(({ dataset }) => dataset)).size <= 1;
  return ({ dataset, exampleId }) => oneLine(isOne ? String(exampleId) : `${dataset}: ${exampleId}`);
}
