import { formatMoment } from "../../ui/dates.js";
import { formatCount, formatPlural, formatShare } from "../../ui/format.js";
import type { TableData } from "../frame/table.js";
import { shown } from "../names.js";
import type { Fact } from "../plot/mark.js";
import { type Fault, type FaultBar, topFaults } from "./categories.js";

export function factsOf(bar: FaultBar, fault: Fault): { title: string; facts: Fact[] } {
  const count = bar.counts[fault] ?? 0;
  const facts: Fact[] = [
    [fault, `${formatCount(count)} (${shareText(count, bar.trials)})`],
    ["Trials", formatCount(bar.trials)],
  ];
  return {
    title: shown(bar.name),
    facts: bar.createdAt === null ? facts : [...facts, ["Begun", formatMoment(bar.createdAt)]],
  };
}

function shareText(count: number, trials: number): string {
  return trials === 0 ? "–" : formatShare(count / trials);
}

/** What the chart shows, or why there is none. */
export function errorWords(bars: readonly FaultBar[], by: "run" | "system"): string {
  const trials = bars.reduce((sum, bar) => sum + bar.trials, 0);
  if (trials === 0) return "There is nothing to draw: no trial has ended yet.";
  const top = topFaults(bars);
  const over = `${formatPlural(bars.length, by)} with ${formatCount(trials)} ${trials === 1 ? "trial" : "trials"}`;
  if (top.length === 0) return `Nothing went wrong in ${over}.`;
  const named = top
    .slice(0, 3)
    .map(({ fault, count }) => `${fault} (${formatCount(count)}, ${shareText(count, trials)})`);
  return `Over ${over}, the most frequent ${named.length === 1 ? "category is" : "categories are"} ${named.join(", ")}.`;
}

/** The same as a table, with a column for each category that occurred. */
export function errorTable(bars: readonly FaultBar[], by: "run" | "system"): TableData {
  const faults = topFaults(bars).map(({ fault }) => fault);
  const isByRun = by === "run";
  return {
    columns: [isByRun ? "Run" : "System", ...(isByRun ? ["Begun"] : []), "Trials", ...faults],
    words: isByRun ? 2 : 1,
    rows: bars.map((bar) => [
      shown(bar.name),
      ...(isByRun ? [formatMoment(bar.createdAt ?? "")] : []),
      formatCount(bar.trials),
      ...faults.map((fault) => formatCount(bar.counts[fault] ?? 0)),
    ]),
  };
}
