import type { Estimate, Metric, MetricContext } from "../core/metric.js";
import { type EvalRow, scoreOf } from "../core/row.js";
import { estimateRate } from "./estimates.js";
import { type PassOptions, settingsOf } from "./settings.js";
import { mean, sumByTask, type TaskSums } from "./tasks.js";

/**
 * The share of scored rows whose field is at least the threshold.
 * @example
 * new PassRate({ scoreField: "f1", threshold: 0.7 }).compute(rows); // { pass_rate: 0.9 }
 */
export class PassRate implements Metric {
  readonly name = "pass_rate";
  readonly scoreField: string | undefined;
  readonly #threshold: number | undefined;

  constructor(options: PassOptions = {}) {
    this.scoreField = options.scoreField;
    this.#threshold = options.threshold;
  }

  compute(rows: readonly EvalRow[], context?: MetricContext): { pass_rate: number } {
    const { sums, counts } = this.#passes(rows, context);
    return { pass_rate: mean(sums.map((passed, i) => passed / (counts[i] ?? 1))) };
  }

  intervals(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    return { pass_rate: estimateRate(this.#passes(rows, context)) };
  }

  #passes(rows: readonly EvalRow[], context?: MetricContext): TaskSums {
    const { scoreField, threshold } = settingsOf({ scoreField: this.scoreField, threshold: this.#threshold }, context);
    return sumByTask(rows, (row) => {
      const value = scoreOf(row, scoreField);
      return value === undefined ? undefined : Number(value >= threshold);
    });
  }
}
