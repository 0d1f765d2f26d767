import type { HistoryAdjustment, LabelEstimate } from "../core/index.js";
import { formatNumber } from "./format.js";

/** The figures that history and strata narrow, in words. */
export const NARROWED_FIGURES: Readonly<Record<HistoryAdjustment["metric"], string>> = {
  pass_rate: "pass rate",
  mean_score: "mean score",
};

/** @example formatEstimate({ value: 0.62, low: 0.55, high: 0.69 }); // "0.62 [0.55, 0.69]" */
export function formatEstimate(estimate: LabelEstimate | null): string {
  if (estimate === null) return "–";
  const { value, low, high } = estimate;
  const text = formatNumber(value, 3);
  return low === null || high === null ? text : `${text} [${formatNumber(low, 3)}, ${formatNumber(high, 3)}]`;
}

/** By how much an interval became narrower, from the share. */
export function formatNarrower({ narrower }: { narrower: number | null }): string {
  if (narrower === null) return "–";
  const percent = Math.round(Math.abs(narrower) * 100);
  return percent === 0 ? "as wide" : `${percent} % ${narrower > 0 ? "narrower" : "wider"}`;
}
