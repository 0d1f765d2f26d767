import type { MetricContext, MetricRun } from "../core/metric.js";
import type { EvalRow } from "../core/row.js";
import { groupByFacet } from "./facet-groups.js";
import { ScoreBreakdown } from "./score-breakdown.js";

/**
 * The mean of a score field per facet value, and per combination of depth and length.
 * @example
 * new FacetBreakdown().compute(rows); // { "facet:subject=anatomy": 0.7, "facet:subject=law": 0.5 }
 */
export class FacetBreakdown extends ScoreBreakdown {
  readonly name = "facet_breakdown";

  protected parts(rows: readonly EvalRow[], context?: MetricContext) {
    const { groups, notes } = groupByFacet(rows, context?.datasets);
    for (const note of notes) context?.note?.(note);
    return groups.map(({ key, rows: own }) => [key, own] as const);
  }

  keys({ facets = [], datasets }: MetricRun) {
    return groupByFacet(facets, datasets).groups.map(({ key }) => key);
  }
}
