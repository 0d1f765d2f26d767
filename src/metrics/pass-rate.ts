import type { EvalRow } from "../core/index.js";
import { type Estimate, type Metric, type MetricContext, pickValues, requireThreshold } from "../core/index.js";
import { estimateRate } from "./estimates.js";
import { type PassOptions, resolveMetricContext } from "./settings.js";
import { getTaskIndex, markAtLeast, maskMissing, readScore, sumByTask } from "./tasks.js";

/**
 * The share of scored rows whose score reaches the threshold.
 * @example
 * new PassRate({ scoreField: "f1", threshold: 0.7 }).compute(rows); // { pass_rate: 0.9 }
 */
export class PassRate implements Metric {
  readonly name = "pass_rate";
  readonly scoreField: string | undefined;
  readonly threshold: number | undefined;

  constructor(options: PassOptions = {}) {
    this.scoreField = options.scoreField;
    this.threshold = options.threshold === undefined ? undefined : requireThreshold(options.threshold);
  }

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<"pass_rate", Estimate> {
    const { scoreField, threshold } = resolveMetricContext(this, context);
    const tasks = getTaskIndex(rows, context);
    const score = readScore(tasks.rows, scoreField);
    return { pass_rate: estimateRate(sumByTask(tasks, maskMissing(markAtLeast(score, threshold), score))) };
  }

  keys() {
    return ["pass_rate"] as const;
  }
}
