import type { EvalRow } from "../core/index.js";
import { type Estimate, type Metric, type MetricContext, pickValues } from "../core/index.js";
import { estimateScore } from "./estimates.js";
import { resolveMetricContext, type ScoreOptions } from "./settings.js";
import { getTaskIndex, readScore } from "./tasks.js";

/**
 * The mean of a score field over the rows that have it.
 * @example
 * new MeanScore({ scoreField: "f1" }).compute(rows); // { mean_score: 0.83 }
 */
export class MeanScore implements Metric {
  readonly name = "mean_score";
  readonly scoreField: string | undefined;

  constructor(options: ScoreOptions = {}) {
    this.scoreField = options.scoreField;
  }

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<"mean_score", Estimate> {
    const { scoreField } = resolveMetricContext({ scoreField: this.scoreField }, context);
    const tasks = getTaskIndex(rows, context);
    return { mean_score: estimateScore(tasks, readScore(tasks.rows, scoreField)) };
  }

  keys() {
    return ["mean_score"] as const;
  }
}
