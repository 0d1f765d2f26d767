import { formatMoment } from "../../ui/dates.js";
import { formatCount, formatPlural, formatShare } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";
import { type CategoryBar, type FailureCategory, rankCategories } from "./categories.js";

export function describeCategorySegment(
  bar: CategoryBar,
  category: FailureCategory,
): { title: string; facts: TooltipFact[] } {
  const count = bar.counts[category] ?? 0;
  const facts: TooltipFact[] = [
    [category, `${formatCount(count)} (${formatShareOfTrials(count, bar.trials)})`],
    ["Trials", formatCount(bar.trials)],
  ];
  return {
    title: formatName(bar.name),
    facts: bar.createdAt === null ? facts : [...facts, ["Begun", formatMoment(bar.createdAt)]],
  };
}

function formatShareOfTrials(count: number, trials: number): string {
  return trials === 0 ? "–" : formatShare(count / trials);
}

/** What the chart shows, or why there is none. */
export function describeErrors(bars: readonly CategoryBar[], by: "run" | "system"): string {
  const trials = bars.reduce((sum, bar) => sum + bar.trials, 0);
  if (trials === 0) return "There is nothing to draw: no trial has ended yet.";
  const top = rankCategories(bars);
  const over = `${formatPlural(bars.length, by)} with ${formatCount(trials)} ${trials === 1 ? "trial" : "trials"}`;
  if (top.length === 0) return `Nothing went wrong in ${over}.`;
  const named = top
    .slice(0, 3)
    .map(({ category, count }) => `${category} (${formatCount(count)}, ${formatShareOfTrials(count, trials)})`);
  return `Over ${over}, the most frequent ${named.length === 1 ? "category is" : "categories are"} ${named.join(", ")}.`;
}

/** The same as a table, with a column for each category that occurred. */
export function buildErrorTable(bars: readonly CategoryBar[], by: "run" | "system"): ChartTableData {
  const categories = rankCategories(bars).map(({ category }) => category);
  const isByRun = by === "run";
  return {
    columns: [isByRun ? "Run" : "System", ...(isByRun ? ["Begun"] : []), "Trials", ...categories],
    words: isByRun ? 2 : 1,
    rows: bars.map((bar) => [
      formatName(bar.name),
      ...(isByRun ? [formatMoment(bar.createdAt ?? "")] : []),
      formatCount(bar.trials),
      ...categories.map((category) => formatCount(bar.counts[category] ?? 0)),
    ]),
  };
}
