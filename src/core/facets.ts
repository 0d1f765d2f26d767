import type { Dataset } from "./dataset.js";
import type { Example } from "./example.js";
import type { Facets, FacetValue } from "./row.js";

/**
 * The facets of an example: those of the fields that it has. Null when it has none of them.
 * @example
 * facetsOf({ id: 1, question: "…", subject: "anatomy" }, ["subject", "year"]); // { subject: "anatomy" }
 */
export function facetsOf(example: Example, fields: readonly string[]): Facets | null {
  const known: [string, FacetValue][] = [];
  for (const field of fields) {
    const value = facetValue(example, field);
    if (value !== null) known.push([field, value]);
  }
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** What results of an example are broken down by: its labels, and those of the fields that it has. */
export function breakdownOf(
  example: Example,
  { facets = [], labels }: Pick<Dataset, "facets" | "labels">,
): Facets | null {
  const own = labels?.get(example.id);
  const read = facetsOf(example, facets);
  return own === undefined ? read : { ...own, ...read };
}

/** The value of a field that can be a facet; null when there is none, or nothing that examples could have in common. */
export function facetValue(example: Example, field: string): FacetValue | null {
  if (!Object.hasOwn(example, field)) return null;
  const value = example[field];
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
