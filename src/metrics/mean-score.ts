import type { Estimate, Metric, MetricContext } from "../core/metric.js";
import { type EvalRow, scoreOf } from "../core/row.js";
import { estimateMean } from "./estimates.js";
import { type ScoreOptions, settingsOf } from "./settings.js";
import { mean, meansByTask } from "./tasks.js";

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

  compute(rows: readonly EvalRow[], context?: MetricContext): { mean_score: number } {
    return { mean_score: mean(this.#means(rows, context)) };
  }

  intervals(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    return { mean_score: estimateMean(this.#means(rows, context)) };
  }

  #means(rows: readonly EvalRow[], context?: MetricContext): Float64Array {
    const { scoreField } = settingsOf({ scoreField: this.scoreField }, context);
    return meansByTask(rows, (row) => scoreOf(row, scoreField));
  }
}
