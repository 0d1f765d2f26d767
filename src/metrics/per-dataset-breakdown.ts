import { bareValues, type Estimate, type Metric, type MetricContext, type MetricRun } from "../core/metric.js";
import { type EvalRow, scoreOf } from "../core/row.js";
import { estimateMean } from "./estimates.js";
import { type ScoreOptions, settingsOf } from "./settings.js";
import { sumByTask, tasksOf } from "./tasks.js";

/**
 * The mean of a score field for each dataset, each with its own primary field when none is forced.
 * @example
 * new PerDatasetBreakdown({ scoreField: "f1" }).compute(rows); // { "dataset:hotpotqa": 0.7, "dataset:gsm8k": 0.5 }
 */
export class PerDatasetBreakdown implements Metric {
  readonly name = "per_dataset_breakdown";
  readonly scoreField: string | undefined;

  constructor(options: ScoreOptions = {}) {
    this.scoreField = options.scoreField;
  }

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return bareValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const { scoreField } = settingsOf({ scoreField: this.scoreField }, context);
    const estimates: Record<string, Estimate> = {};
    for (const [tag, own] of byDataset(rows)) {
      estimates[keyOf(tag)] = estimateMean(sumByTask(tasksOf(own), (row) => scoreOf(row, scoreField)));
    }
    return estimates;
  }

  keys({ datasets }: MetricRun) {
    return datasets.map((name) => keyOf(tagOf(name)));
  }
}

const keyOf = (tag: string) => `dataset:${tag}`;

const tagOf = (dataset: string) => dataset || "unknown";

function byDataset(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const tag = tagOf(row.dataset);
    const group = groups.get(tag);
    if (group === undefined) groups.set(tag, [row]);
    else group.push(row);
  }
  return groups;
}
