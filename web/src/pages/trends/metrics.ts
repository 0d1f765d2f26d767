import type { CardFigure, RunCard } from "../../../../src/report/dashboard/contract.js";
import { createSystemMatcher, type SystemFilter } from "../run-filters.js";
import { createSystemNamer, groupRuns, type RunGroup } from "../run-groups.js";

/** The metrics of the page; `value` is the word in the address. */
export const TREND_METRICS = [
  { value: "success", label: "Success rate", figure: "pass_rate" },
  { value: "time", label: "Time to success", figure: "median_time_to_success_ms" },
  { value: "cost", label: "Cost per success", figure: "cost_per_pass_usd" },
  { value: "score", label: "Mean score", figure: "mean_score" },
  { value: "errors", label: "Error rate", figure: "error_rate" },
] as const satisfies readonly { value: string; label: string; figure: CardFigure }[];

export type TrendMetric = (typeof TREND_METRICS)[number];

/** The success rate by default. */
export function parseTrendMetric(word: string | undefined): TrendMetric {
  return TREND_METRICS.find(({ value }) => value === word) ?? TREND_METRICS[0];
}

/** Runs with only their matching systems, oldest first; without damaged runs and runs without such systems. */
export function filterRuns(runs: readonly RunCard[], narrowing: SystemFilter): RunCard[] {
  const isFitting = createSystemMatcher(narrowing);
  return runs
    .filter(({ status }) => status !== "damaged")
    .map((run) => ({ ...run, systems: run.systems.filter((card) => isFitting({ run, card })) }))
    .filter(({ systems }) => systems.length > 0)
    .sort((x, y) => Date.parse(x.createdAt) - Date.parse(y.createdAt));
}

/** The groups with the most runs first, since they show a trend. */
export function groupTrendRuns(runs: readonly RunCard[], dataset?: string): RunGroup[] {
  return groupRuns(runs, dataset).sort((x, y) => y.runs.length - x.runs.length);
}

/** Adds the harness where one name has several, so that they are separate lines. */
export function renameByHarness(runs: readonly RunCard[]): RunCard[] {
  const formatName = createSystemNamer(runs.flatMap(({ systems }) => systems));
  return runs.map((run) => ({ ...run, systems: run.systems.map((card) => ({ ...card, system: formatName(card) })) }));
}

/** In the order of their first runs, so that colors stay when runs are added. */
export function listSystems(runs: readonly RunCard[]): string[] {
  return [...new Set(runs.flatMap(({ systems }) => systems.map(({ system }) => system)))];
}
