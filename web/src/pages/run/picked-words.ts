import type { Picked } from "../../charts/index.js";
import type { Query } from "../../shell/route.js";
import { filterWords } from "./rows/row-filter.js";

/**
 * The filter that leaves the rows behind what was picked in a chart.
 * @example
 * pickedWords({ system: "echo", facets: { depth: 0.5 } }); // { system: "echo", tag: "depth=0.5", … }
 */
export function pickedWords({ system, dataset, category, facets = {}, latency }: Picked): Query {
  return filterWords({
    systems: listed(system),
    datasets: listed(dataset),
    categories: listed(category),
    tags: Object.entries(facets).map(([field, value]) => `${field}=${value}`),
    latencyFrom: latency?.from ?? null,
    latencyTo: latency?.to ?? null,
  });
}

function listed(name: string | undefined): string[] {
  return name === undefined ? [] : [name];
}
