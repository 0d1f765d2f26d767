import type { Comparison, Estimate, EvalRow, Metric, MetricContext, Summary } from "../core/index.js";
import { bootstrapInterval, mean } from "../stats/index.js";
import { toEstimateInterval } from "./estimates.js";

/** Options of `frontierCostOfPass`. */
export interface FrontierOptions {
  /** The cost of one trial; undefined if unknown. */
  costOf: (row: EvalRow) => number | undefined;
  /** What an expert would charge for one task, as an alternative to the systems. */
  expertCost?: number | undefined;
}

/**
 * The frontier cost of pass: for each task the lowest expected cost of a pass (mean cost ÷ success rate) over all
 * systems, then the mean over tasks. Infinity if no system passes a task; null if a cost is unknown.
 */
export function frontierCostOfPass(rows: readonly EvalRow[], options: FrontierOptions): number | null {
  const cheapest = findCheapestCosts(rows, options);
  return cheapest === null ? null : mean(cheapest);
}

/** The frontier cost of pass over all systems, in tokens and, if every cost is known, in dollars. */
export class Frontier implements Metric {
  readonly name = "frontier";

  /** Needs several systems. */
  compute() {
    return {};
  }

  compare(_: Readonly<Record<string, Summary>>, rows: readonly EvalRow[], context?: MetricContext): Comparison {
    const seed = context?.seed ?? 0;
    const tokens = estimateFrontier(rows, { seed, costOf: (row) => row.outputTokens });
    const dollars = estimateFrontier(rows, { seed, costOf: (row) => row.costUsd ?? undefined });
    return {
      across: {
        frontier_cost_of_pass: tokens,
        ...(dollars.value === null ? {} : { frontier_cost_of_pass_usd: dollars }),
      },
    };
  }

  keys() {
    return [];
  }
}

/** Uses a bootstrap interval over tasks. */
function estimateFrontier(rows: readonly EvalRow[], options: FrontierOptions & { seed: number }): Estimate {
  const cheapest = findCheapestCosts(rows, options);
  if (cheapest === null) return { value: null, reason: "the cost of a trial is unknown" };
  const value = mean(cheapest);
  if (!Number.isFinite(value)) return { value, reason: "no system passed one of the tasks" };
  const { low, high, n } = bootstrapInterval(cheapest, mean, { seed: options.seed });
  return { value, interval: toEstimateInterval({ low, high, n }) };
}

function findCheapestCosts(rows: readonly EvalRow[], options: FrontierOptions): number[] | null {
  const cheapest = new Map<string, number>();
  for (const { task, cost } of computeTaskCosts(rows, options.costOf)) {
    if (cost === null) return null;
    const best = cheapest.get(task) ?? options.expertCost ?? Number.POSITIVE_INFINITY;
    cheapest.set(task, Math.min(best, cost));
  }
  return cheapest.size === 0 ? null : [...cheapest.values()];
}

function* computeTaskCosts(
  rows: readonly EvalRow[],
  costOf: FrontierOptions["costOf"],
): Generator<{ task: string; cost: number | null }> {
  const totals = new Map<string, { task: string; cost: number | null; passes: number }>();
  for (const row of rows) {
    if (row.outcome === "skipped") continue;
    const task = `${row.dataset}\u0000${row.exampleId}`;
    const key = `${row.system}\u0000${task}`;
    const total = totals.get(key) ?? { task, cost: 0, passes: 0 };
    const cost = costOf(row);
    total.cost = cost === undefined || total.cost === null ? null : total.cost + cost;
    if (row.passed === true) total.passes += 1;
    totals.set(key, total);
  }
  for (const { task, cost, passes } of totals.values()) {
    yield { task, cost: cost === null ? null : passes === 0 ? Number.POSITIVE_INFINITY : cost / passes };
  }
}
