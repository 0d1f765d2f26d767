import type { ChartSelection } from "../../charts/index.js";
import type { RouteQuery } from "../../shell/route.js";
import { buildRowFilterQuery } from "./rows/row-filter.js";

/**
 * The filter that leaves the rows behind what was picked in a chart.
 * @example
 * buildSelectionQuery({ system: "echo", facets: { depth: 0.5 } }); // { system: "echo", tag: "depth=0.5", … }
 */
export function buildSelectionQuery({ system, dataset, category, facets = {}, latency }: ChartSelection): RouteQuery {
  return buildRowFilterQuery({
    systems: toList(system),
    datasets: toList(dataset),
    categories: toList(category),
    tags: Object.entries(facets).map(([field, value]) => `${field}=${value}`),
    latencyFrom: latency?.from ?? null,
    latencyTo: latency?.to ?? null,
  });
}

function toList(name: string | undefined): string[] {
  return name === undefined ? [] : [name];
}
