import type { Example } from "../core/example.js";
import { facetValue } from "../core/facets.js";
import type { EvalRow } from "../core/row.js";
import type { Wiring } from "./wiring.js";

/** The group that an example's rows carry; null when its dataset has no groups, or the example is in none. */
export function rowGroup({ groupBy }: Pick<Wiring, "groupBy">, example: Example): EvalRow["group"] {
  if (groupBy === null) return null;
  const value = facetValue(example, groupBy);
  return typeof value === "boolean" ? String(value) : value;
}
