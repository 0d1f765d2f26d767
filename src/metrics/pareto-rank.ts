import type { Comparison, Metric } from "../core/metric.js";
import { ownValue } from "../core/own-value.js";
import type { Summary } from "../core/result.js";
import { paretoFronts } from "../stats/index.js";

export interface ParetoOptions {
  /** A summary key where more is better; "score" means `mean_score`. */
  qualityField?: string | undefined;
  /** A summary key where less is better. */
  costField?: string | undefined;
}

/**
 * Which front a system stands on: rank 1 is dominated by nobody. One system alone has no rank: 0
 * stands for it until several are compared.
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
    const ranks = Object.entries(ParetoRank.rankSystems(summaries, this.options));
    return { bySystem: Object.fromEntries(ranks.map(([system, value]) => [system, { pareto_rank: { value } }])) };
  }

  keys() {
    return ["pareto_rank"];
  }

  static rankSystems(summary: Readonly<Record<string, Summary>>, options: ParetoOptions = {}): Record<string, number> {
    const { qualityField = "score", costField = "cost_of_pass" } = options;
    const qualityKey = qualityField === "score" ? "mean_score" : qualityField;
    const systems = Object.entries(summary);
    const points = systems.map(([, values]) => ({
      quality: ownValue(values, qualityKey) ?? null,
      cost: ownValue(values, costField) ?? null,
    }));
    const ranks = paretoFronts(points);
    return Object.fromEntries(systems.map(([system], i) => [system, ranks[i] ?? 0]));
  }
}
