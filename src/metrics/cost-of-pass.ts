import type { EvalRow } from "../core/index.js";
import { type Estimate, type Metric, type MetricContext, pickValues, requireThreshold } from "../core/index.js";

import { sum } from "../stats/index.js";
import { estimateRatio } from "./estimates.js";
import { type PassOptions, resolveMetricContext } from "./settings.js";
import { getTaskIndex, markAtLeast, readOutputTokens, readScore, sumByTask } from "./tasks.js";

/**
 * Output tokens of all rows, including failures, per passing row; Infinity if none passes.
 * @example
 * new CostOfPass({ threshold: 0.7, scoreField: "f1" }).compute(rows); // { cost_of_pass: 312.5, num_passing: 8 }
 */
export class CostOfPass implements Metric {
  readonly name = "cost_of_pass";
  readonly scoreField: string | undefined;
  readonly threshold: number | undefined;

  constructor(options: PassOptions = {}) {
    this.scoreField = options.scoreField;
    this.threshold = options.threshold === undefined ? undefined : requireThreshold(options.threshold);
  }

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<"cost_of_pass" | "num_passing", Estimate> {
    const { scoreField, threshold } = resolveMetricContext(this, context);
    const tasks = getTaskIndex(rows, context);
    const passes = sumByTask(tasks, markAtLeast(readScore(tasks.rows, scoreField), threshold));
    const tokens = sumByTask(tasks, readOutputTokens(tasks.rows));
    return {
      cost_of_pass: estimateRatio(tokens.sums, passes),
      num_passing: { value: sum(passes.sums) },
    };
  }

  keys() {
    return ["cost_of_pass", "num_passing"] as const;
  }
}
