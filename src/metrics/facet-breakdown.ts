import { bareValues, type Estimate, type Metric, type MetricContext, type MetricRun } from "../core/metric.js";
import { type EvalRow, scoreOf } from "../core/row.js";
import { estimateMean } from "./estimates.js";
import { facetGroups } from "./facet-groups.js";
import { type ScoreOptions, settingsOf } from "./settings.js";
import { sumByTask, tasksOf } from "./tasks.js";

/**
 * The mean of a score field for each value of the facets that rows carry, and for each depth with each length.
 * @example
 * new FacetBreakdown().compute(rows); // { "facet:subject=anatomy": 0.7, "facet:subject=law": 0.5 }
 */
export class FacetBreakdown implements Metric {
  readonly name = "facet_breakdown";
  readonly scoreField: string | undefined;

  constructor(options: ScoreOptions = {}) {
    this.scoreField = options.scoreField;
  }

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return bareValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const { scoreField } = settingsOf({ scoreField: this.scoreField }, context);
    const { groups, notes } = facetGroups(rows, context?.datasets);
    for (const note of notes) context?.note?.(note);
    const read = (row: EvalRow) => scoreOf(row, scoreField);
    return Object.fromEntries(groups.map(({ key, rows: own }) => [key, estimateMean(sumByTask(tasksOf(own), read))]));
  }

  keys({ facets = [], datasets }: MetricRun) {
    return facetGroups(facets, datasets).groups.map(({ key }) => key);
  }
}
