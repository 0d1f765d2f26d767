import type { Estimate, Metric, MetricContext } from "../core/metric.js";
import { type EvalRow, scoreOf } from "../core/row.js";
import { estimateMean } from "./estimates.js";
import { type ScoreOptions, settingsOf } from "./settings.js";
import { mean, meansByTask } from "./tasks.js";

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

  compute(rows: readonly EvalRow[], context?: MetricContext): Record<string, number> {
    return this.#each(rows, context, mean);
  }

  intervals(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    return this.#each(rows, context, estimateMean);
  }

  #each<T>(
    rows: readonly EvalRow[],
    context: MetricContext | undefined,
    of: (means: Float64Array) => T,
  ): Record<string, T> {
    const { scoreField } = settingsOf({ scoreField: this.scoreField }, context);
    const byDataset = groupByDataset(rows);
    const entries = [...byDataset].map(([tag, own]) => [
      `dataset:${tag}`,
      of(meansByTask(own, (row) => scoreOf(row, scoreField))),
    ]);
    return Object.fromEntries(entries) as Record<string, T>;
  }
}

function groupByDataset(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const tag = row.dataset || "unknown";
    const group = groups.get(tag);
    if (group === undefined) groups.set(tag, [row]);
    else group.push(row);
  }
  return groups;
}
