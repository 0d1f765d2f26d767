import type { Dataset } from "./dataset.js";
import type { Example } from "./example.js";
import type { Facets, FacetValue } from "./row.js";

/**
 * Reads the facets of an example, skipping fields that it lacks. Null if it has none.
 * @example
 * readFacets({ id: 1, question: "…", subject: "anatomy" }, ["subject", "year"]); // { subject: "anatomy" }
 */
export function readFacets(example: Example, fields: readonly string[]): Facets | null {
  const known: [string, FacetValue][] = [];
  for (const field of fields) {
    const value = readFacetValue(example, field);
    if (value !== null) known.push([field, value]);
  }
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** The facets of an example: the labels of its dataset and its own fields. */
export function collectFacets(
  example: Example,
  { facets = [], labels }: Pick<Dataset, "facets" | "labels">,
): Facets | null {
  const own = labels?.get(example.id);
  const read = readFacets(example, facets);
  return own === undefined ? read : { ...own, ...read };
}

/** A non-empty string, a boolean or a finite number; null for anything else. */
export function readFacetValue(example: Example, field: string): FacetValue | null {
  if (!Object.hasOwn(example, field)) return null;
  const value = example[field];
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
