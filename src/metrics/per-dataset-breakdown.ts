import type { EvalRow, MetricRun } from "../core/index.js";
import { ScoreBreakdown } from "./score-breakdown.js";

/**
 * The mean of a score field per dataset, by default the dataset's primary field.
 * @example
 * new PerDatasetBreakdown({ scoreField: "f1" }).compute(rows); // { "dataset:hotpotqa": 0.7, "dataset:gsm8k": 0.5 }
 */
export class PerDatasetBreakdown extends ScoreBreakdown {
  readonly name = "per_dataset_breakdown";

  protected parts(rows: readonly EvalRow[]) {
    return Array.from(groupRowsByDataset(rows), ([tag, own]) => [formatDatasetKey(tag), own] as const);
  }

  keys({ datasets }: MetricRun) {
    return datasets.map((name) => formatDatasetKey(getDatasetTag(name)));
  }
}

const formatDatasetKey = (tag: string) => `dataset:${tag}`;

const getDatasetTag = (dataset: string) => dataset || "unknown";

function groupRowsByDataset(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const tag = getDatasetTag(row.dataset);
    const group = groups.get(tag);
    if (group === undefined) groups.set(tag, [row]);
    else group.push(row);
  }
  return groups;
}
