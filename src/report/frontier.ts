import type { EvalConfig, EvalResult, EvalRow, FrontierReport, FrontierSystem } from "../core/index.js";
import { hasOutput } from "../core/index.js";
import { analyzeFrontier, type FrontierAnalysis } from "../metrics/index.js";
import { formatDollars, formatPlural, formatShare } from "./format.js";
import type { Layout } from "./layout.js";
import type { TableColumn } from "./markdown.js";

/**
 * The frontier cost of a pass in dollars, over the tasks that every system ran. Null if it says nothing: for one system
 * without an expert, without prices, without a passed trial, or where everything was free.
 */
export function buildFrontier({ rows, config }: Pick<EvalResult, "rows" | "config">): FrontierReport | null {
  const expertCosts = mapExpertCosts(config);
  if ((config.systems.length < 2 && expertCosts.size === 0) || !hasPassAndPrice(rows)) return null;
  const found = analyzeFrontier(rows, { costOf: readCost, expertCost: ({ dataset }) => expertCosts.get(dataset) });
  // A system without a finished trial shares no task.
  if (found === null || config.systems.some((system) => found.gain[system] === undefined)) return null;
  return toReport(found, config, listUnknownDatasets(rows, expertCosts));
}

function hasPassAndPrice(rows: readonly EvalRow[]): boolean {
  let [isPaid, isPassed] = [false, false];
  for (const row of rows) {
    // Unknown is not free.
    if (hasOutput(row) && row.costUsd == null) return false;
    isPaid ||= (row.costUsd ?? 0) > 0;
    isPassed ||= row.outcome === "pass";
  }
  return isPaid && isPassed;
}

/** A trial without an output is billed only where that is known. */
function readCost(row: EvalRow): number {
  return row.costUsd ?? 0;
}

/** By the tag that rows have. */
function mapExpertCosts({ datasets }: EvalConfig): Map<string, number> {
  const known = datasets.flatMap(({ tags, expertCostUsd }) =>
    expertCostUsd === undefined ? [] : tags.map((tag): [string, number] => [tag, expertCostUsd]),
  );
  return new Map(known);
}

function listUnknownDatasets(rows: readonly EvalRow[], expertCosts: ReadonlyMap<string, number>): string[] {
  const unknown = new Set<string>();
  for (const { dataset } of rows) if (!expertCosts.has(dataset)) unknown.add(dataset || "examples");
  return [...unknown];
}

function toReport(found: FrontierAnalysis, config: EvalConfig, unknown: readonly string[]): FrontierReport {
  const hasValue = Number.isFinite(found.value);
  const named = config.datasets.flatMap(({ name, expertCostUsd }) =>
    expertCostUsd === undefined ? [] : [[name || "examples", expertCostUsd] as const],
  );
  return {
    valueUsd: hasValue ? found.value : null,
    low: found.interval.low,
    high: found.interval.high,
    reason: hasValue ? null : explainInfinity(found, unknown),
    isBiased: found.isBiased,
    unrepeatedShare: found.unrepeatedShare,
    tasks: found.tasks,
    infiniteTasks: found.infiniteTasks,
    expertCostUsd: Object.fromEntries(named),
    expertShare: found.expertShare,
    systems: config.systems.map((system): FrontierSystem => {
      const gain = found.gain[system] ?? Number.NaN;
      const interval = found.gainInterval[system];
      // A difference of infinite values is not a gain.
      const isKnown = hasValue && Number.isFinite(gain);
      return {
        system,
        essentialShare: found.essentialShare[system] ?? 0,
        gainUsd: isKnown ? gain : null,
        low: isKnown ? (interval?.low ?? null) : null,
        high: isKnown ? (interval?.high ?? null) : null,
      };
    }),
  };
}

function explainInfinity({ infiniteTasks, tasks, isBiased }: FrontierAnalysis, unknown: readonly string[]): string {
  const again = isBiased ? "" : ", or the cheapest one did not pass again in the trials that price it";
  const datasets = unknown.join(", ");
  return `in ${infiniteTasks} of ${formatPlural(tasks, "task")} no system passed${again}, and the cost of an expert is not known for ${datasets}`;
}

/** The section of a report; empty if there is nothing to say. */
export function renderFrontier(frontier: FrontierReport | null, layout: Layout): string[] {
  if (frontier === null) return [];
  if (frontier.valueUsd === null) return [layout.text(`Frontier cost of a pass: ${describeFrontier(frontier)}`)];
  return [
    layout.heading("Frontier cost of a pass", 2),
    layout.text(describeFrontier(frontier)),
    layout.table(createColumns(), frontier.systems),
  ];
}

/**
 * The frontier and its bias in a few sentences, or why it is not finite.
 * @example
 * describeFrontier(result.frontier); // "$0.0021 [$0.0015, $0.0030] per pass over 50 tasks, each by …"
 */
export function describeFrontier(frontier: FrontierReport): string {
  const { valueUsd, low, high, tasks, expertShare } = frontier;
  if (valueUsd === null) return `not finite, because ${frontier.reason}. Give it with --expert-cost USD.`;
  const interval = low === null || high === null ? "" : ` [${formatDollars(low)}, ${formatDollars(high)}]`;
  const costs = describeExpertCosts(frontier);
  const expert = costs === null ? "" : ` or an expert (${costs}; ${formatShare(expertShare)} of tasks)`;
  const who = frontier.systems.length === 1 ? "the system" : "its cheapest system";
  return `${formatDollars(valueUsd)}${interval} per pass over ${formatPlural(tasks, "task")}, each done by ${who}${expert}. ${describeBias(frontier)}`;
}

/** `$3.50`, or `gsm8k $3.50, math $12.00`; null if none is known. */
function describeExpertCosts({ expertCostUsd }: FrontierReport): string | null {
  const costs = Object.entries(expertCostUsd);
  const [first] = costs;
  if (first === undefined) return null;
  if (costs.length === 1) return `${formatDollars(first[1])} per example`;
  return costs.map(([name, cost]) => `${name} ${formatDollars(cost)}`).join(", ");
}

function describeBias({ isBiased, unrepeatedShare }: FrontierReport): string {
  if (isBiased)
    return "Biased downward: with one trial of a task, the same trial chooses the cheapest system and prices it.";
  const said = "Cross-fitted over trials: half of them choose the cheapest system, the other half price it.";
  if (unrepeatedShare === 0) return said;
  return `${said} In ${formatShare(unrepeatedShare)} of the choices it did not pass again and an expert is paid instead: with few trials, this makes the frontier too high.`;
}

function createColumns(): TableColumn<FrontierSystem>[] {
  return [
    { title: "system", cell: ({ system }) => system },
    { title: "cheapest in", align: "right", cell: ({ essentialShare }) => formatShare(essentialShare) },
    { title: "gain [95 %]", align: "right", cell: formatGain },
  ];
}

/** How much the frontier rises without the system. */
function formatGain({ gainUsd, low, high }: FrontierSystem): string {
  if (gainUsd === null) return "not finite without it";
  if (gainUsd === 0) return "$0";
  const interval = low === null || high === null ? "" : ` [${formatSignedDollars(low)}, ${formatSignedDollars(high)}]`;
  return `${formatSignedDollars(gainUsd)}${interval}`;
}

function formatSignedDollars(value: number): string {
  return value < 0 ? `−${formatDollars(-value)}` : formatDollars(value);
}
