import type { Comparison, Metric, Summary } from "../core/index.js";
import { getOwn } from "../core/index.js";
import { paretoFronts } from "../stats/index.js";

/** Options of `ParetoRank`. */
export interface ParetoOptions {
  /** A summary key where higher is better; "score" means `mean_score`. */
  qualityField?: string | undefined;
  /** A summary key where lower is better. Default: `cost_per_pass_usd` if every system has a price, else `cost_of_pass`. */
  costField?: string | undefined;
}

/** How `pareto_basis` names the built-in cost fields. */
const COST_BASES: Readonly<Record<string, string>> = { cost_per_pass_usd: "usd", cost_of_pass: "tokens" };

/**
 * The Pareto front of a system: no other system dominates those of rank 1. A single system has no rank; its value is 0
 * until several are compared.
 * @example
 * ParetoRank.rankSystems({ a: { mean_score: 0.9, cost_of_pass: 10 }, b: { mean_score: 0.8, cost_of_pass: 20 } }); // { a: 1, b: 2 }
 */
export class ParetoRank implements Metric {
  readonly name = "pareto_rank";
  readonly options: ParetoOptions;

  constructor(options: ParetoOptions = {}) {
    this.options = options;
  }

  compute(): { pareto_rank: number } {
    return { pareto_rank: 0 };
  }

  compare(summaries: Readonly<Record<string, Summary>>): Comparison {
    const costField = this.options.costField ?? selectCostField(Object.values(summaries));
    const ranks = Object.entries(ParetoRank.rankSystems(summaries, { ...this.options, costField }));
    return {
      bySystem: Object.fromEntries(ranks.map(([system, value]) => [system, { pareto_rank: { value } }])),
      labels: { pareto_basis: getOwn(COST_BASES, costField) ?? costField },
    };
  }

  keys() {
    return ["pareto_rank"] as const;
  }

  static rankSystems(summary: Readonly<Record<string, Summary>>, options: ParetoOptions = {}): Record<string, number> {
    const { qualityField = "score", costField = selectCostField(Object.values(summary)) } = options;
    const qualityKey = qualityField === "score" ? "mean_score" : qualityField;
    const systems = Object.entries(summary);
    const points = systems.map(([, values]) => ({
      quality: getOwn(values, qualityKey) ?? null,
      cost: getOwn(values, costField) ?? null,
    }));
    const ranks = paretoFronts(points);
    return Object.fromEntries(systems.map(([system], i) => [system, ranks[i] ?? 0]));
  }
}

/** Dollars if all systems have a price; a system without any output cost nothing and needs none. */
function selectCostField(summaries: readonly Summary[]): "cost_per_pass_usd" | "cost_of_pass" {
  const isKnown = (summary: Summary) => getOwn(summary, "cost_per_pass_usd") != null;
  const isIdle = (summary: Summary) => getOwn(summary, "cost_unknown_trials") === 0;
  const isPriced = summaries.some(isKnown) && summaries.every((summary) => isKnown(summary) || isIdle(summary));
  return isPriced ? "cost_per_pass_usd" : "cost_of_pass";
}
