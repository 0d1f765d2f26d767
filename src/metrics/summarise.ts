import { messageOf, ShapeError } from "../core/errors.js";
import type { Estimate, Metric, MetricContext } from "../core/metric.js";
import type { Summary } from "../core/result.js";
import type { EvalRow } from "../core/row.js";
import { isThenable } from "../core/thenable.js";
import { ALWAYS } from "./built-in.js";
import { estimateFrontier } from "./frontier.js";
import { ParetoRank } from "./pareto-rank.js";

/** The numbers of a run, by system, and why some are missing. */
export interface Summaries {
  summary: Record<string, Summary>;
  reasons: Record<string, Record<string, string>>;
  across: Summary;
  notes: string[];
}

/** Reduces rows to one summary a system. A metric that throws costs its own keys only. */
export function summarise(rows: readonly EvalRow[], metrics: readonly Metric[], context: MetricContext): Summaries {
  const found: Summaries = { summary: {}, reasons: {}, across: {}, notes: [] };
  for (const [system, own] of bySystem(rows)) {
    const sheet = new SummarySheet();
    for (const metric of [...metrics, ...ALWAYS]) {
      const problem = sheet.add(metric, own, context);
      if (problem !== null) found.notes.push(`metric ${metric.name} failed for ${system}: ${problem}`);
    }
    found.summary[system] = sheet.summary;
    found.reasons[system] = sheet.reasons;
  }
  const systems = Object.keys(found.summary).length;
  if (systems > 1) {
    rankSystems(found.summary, metrics);
    found.across = frontier(rows, context.seed);
  }
  return found;
}

/** Collects the keys of one system. */
class SummarySheet {
  readonly summary: Summary = {};
  readonly reasons: Record<string, string> = {};

  add(metric: Metric, rows: readonly EvalRow[], context: MetricContext): string | null {
    try {
      for (const [key, estimate] of Object.entries(estimatesOf(metric, rows, context))) this.set(key, estimate);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  set(key: string, { value, reason, interval }: Estimate): void {
    this.#setValue(key, value, reason);
    if (interval === undefined) return;
    this.#setValue(`${key}_ci_low`, interval.low, interval.reason);
    this.#setValue(`${key}_ci_high`, interval.high, interval.reason);
    this.#setValue(`${key}_n`, interval.n);
  }

  #setValue(key: string, value: number | null, reason = "not measured"): void {
    const usable = typeof value === "number" && !Number.isNaN(value);
    this.summary[key] = usable ? value : null;
    if (!usable) this.reasons[key] = value === null ? reason : "not a number";
    else if (!Number.isFinite(value)) this.reasons[key] = "no passes";
  }
}

function estimatesOf(metric: Metric, rows: readonly EvalRow[], context: MetricContext): Record<string, Estimate> {
  if (metric.estimate !== undefined) return metric.estimate(rows, context);
  const values = metric.compute(rows, context);
  if (isThenable(values)) return refusePromise(values);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));
}

/** A promise has no keys, so that its numbers would be missing without a word. */
function refusePromise(late: PromiseLike<unknown>): never {
  // Somebody has to look at its failure, or the process ends with it.
  late.then(undefined, () => {});
  throw new ShapeError("compute() returned a promise; it must return the numbers themselves");
}

function bySystem(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const systems = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const own = systems.get(row.system);
    if (own === undefined) systems.set(row.system, [row]);
    else own.push(row);
  }
  return systems;
}

function rankSystems(summary: Record<string, Summary>, metrics: readonly Metric[]): void {
  const ranking = metrics.find((metric) => metric instanceof ParetoRank);
  if (ranking === undefined) return;
  for (const [system, rank] of Object.entries(ParetoRank.rankSystems(summary, ranking.options))) {
    const own = summary[system];
    if (own !== undefined) own.pareto_rank = rank;
  }
}

function frontier(rows: readonly EvalRow[], seed: number): Summary {
  const sheet = new SummarySheet();
  sheet.set("frontier_cost_of_pass", estimateFrontier(rows, { seed, costOf: (row) => row.outputTokens }));
  const dollars = estimateFrontier(rows, { seed, costOf: (row) => row.costUsd ?? undefined });
  if (dollars.value !== null) sheet.set("frontier_cost_of_pass_usd", dollars);
  return sheet.summary;
}
