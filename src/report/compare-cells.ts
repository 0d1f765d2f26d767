import type { Change, MetricComparison, PairedComparison, TaskName } from "../metrics/compare/index.js";
import { formatDollars, formatNumber, formatSeconds } from "./format.js";
import { type Tone, toOneLine } from "./markdown.js";

type NumberFormat = (value: number | null) => string;

const METRIC_FORMATS = new Map<string, NumberFormat>([
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
  different: "significantly different",
  same: "the same",
  unclear: "not significantly different",
};

export const CHANGE_TONES: Readonly<Record<Change, Tone | null>> = {
  better: "good",
  worse: "bad",
  different: null,
  same: null,
  unclear: null,
};

export function formatComparedValue({ metric }: Pick<MetricComparison, "metric">, value: number | null): string {
  return (METRIC_FORMATS.get(metric) ?? formatNumber)(value);
}

/** With its sign, and with its interval if there is one. */
export function formatDifference(compared: MetricComparison): string {
  const { difference, low, high } = compared;
  const signed = createSignedFormat(compared);
  if (difference === null || low === null || high === null) return signed(difference);
  return `${signed(difference)} [${signed(low)}, ${signed(high)}]`;
}

export function createSignedFormat(compared: MetricComparison): NumberFormat {
  return (value) => {
    if (value === null || value === 0) return formatComparedValue(compared, value);
    return `${value > 0 ? "+" : "-"}${formatComparedValue(compared, Math.abs(value))}`;
  };
}

/**
 * @example
 * formatPValue(0.00001); // "<0.001"
 */
export function formatPValue(p: number | null): string {
  if (p === null) return "–";
  return p < 0.001 ? "<0.001" : String(Number(p.toFixed(3)));
}

/** A score field is shown by its own name. */
export function formatMetricName({ metric }: Pick<MetricComparison, "metric">): string {
  return metric.replace(/^field:/, "");
}

/** Names tasks by their example, and also by their dataset where there are several. */
export function createTaskNamer({ flips, unmatched }: PairedComparison): (task: TaskName) => string {
  const tasks: readonly TaskName[] = [...flips.toFail, ...flips.toPass, ...flips.flaky, ...unmatched];
  const isOne = new Set(tasks.map(({ dataset }) => dataset)).size <= 1;
  return ({ dataset, exampleId }) => toOneLine(isOne ? String(exampleId) : `${dataset}: ${exampleId}`);
}
