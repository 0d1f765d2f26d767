import type { Estimate, Metric, MetricContext } from "../core/metric.js";
import { type EvalRow, scoreOf } from "../core/row.js";
import { estimateRatio } from "./estimates.js";
import { type PassOptions, settingsOf } from "./settings.js";
import { sum, sumByTask } from "./tasks.js";

/**
 * Output tokens of all rows, failures included, for each row that passes; Infinity when none does.
 * @example
 * new CostOfPass({ threshold: 0.7, scoreField: "f1" }).compute(rows); // { cost_of_pass: 312.5, num_passing: 8 }
 */
export class CostOfPass implements Metric {
  readonly name = "cost_of_pass";
  readonly scoreField: string | undefined;
  readonly #threshold: number | undefined;

  constructor(options: PassOptions = {}) {
    this.scoreField = options.scoreField;
    this.#threshold = options.threshold;
  }

  compute(rows: readonly EvalRow[], context?: MetricContext): { cost_of_pass: number; num_passing: number } {
    const passing = sum(this.#passes(rows, context));
    const tokens = sum(tokensByTask(rows));
    return { cost_of_pass: passing === 0 ? Number.POSITIVE_INFINITY : tokens / passing, num_passing: passing };
  }

  intervals(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    return { cost_of_pass: estimateRatio(tokensByTask(rows), this.#passes(rows, context)) };
  }

  #passes(rows: readonly EvalRow[], context?: MetricContext): Float64Array {
    const { scoreField, threshold } = settingsOf({ scoreField: this.scoreField, threshold: this.#threshold }, context);
    return sumByTask(rows, (row) => Number((scoreOf(row, scoreField) ?? Number.NEGATIVE_INFINITY) >= threshold)).sums;
  }
}

function tokensByTask(rows: readonly EvalRow[]): Float64Array {
  return sumByTask(rows, (row) => row.outputTokens).sums;
}
