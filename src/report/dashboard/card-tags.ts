import type { EvalConfig, JsonSummary, Summary } from "../../core/result.js";
import type { EvalRow } from "../../core/row.js";

const FACET = "facet:";
/** Every value of a facet has a mean with bounds, which tells its key from those that stand beside it. */
const BOUND = "_ci_low";

/** What summaries are broken down by, such as `subject=anatomy`; datasets that stand before it in the keys are left out. */
export function tagsOf(
  summaries: Iterable<Summary | JsonSummary>,
  { datasets }: Pick<EvalConfig, "datasets">,
): string[] {
  const prefixes = datasets.flatMap(({ tags }) => tags.map((tag) => `${tag || "unknown"}:`));
  // Systems are asked the same, unless a dataset is put to some of them alone.
  const isEnough = datasets.every(({ terms }) => terms?.systems === undefined);
  const tags = new Set<string>();
  for (const summary of summaries) {
    if (isEnough && tags.size > 0) break;
    for (const key of Object.keys(summary)) {
      if (!key.startsWith(FACET) || !key.endsWith(BOUND)) continue;
      tags.add(withoutDataset(key.slice(FACET.length, -BOUND.length), prefixes));
    }
  }
  return [...tags];
}

/** Whether the example of a row has a value of a facet. */
export function hasTag({ facets }: Pick<EvalRow, "facets">, tag: string): boolean {
  return facets != null && Object.entries(facets).some(([field, value]) => `${field}=${value}` === tag);
}

function withoutDataset(tag: string, prefixes: readonly string[]): string {
  const prefix = prefixes.length > 1 ? prefixes.find((one) => tag.startsWith(one)) : undefined;
  return prefix === undefined ? tag : tag.slice(prefix.length);
}
