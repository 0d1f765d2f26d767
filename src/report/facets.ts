import type { EvalResult } from "../core/result.js";
import type { FacetValue } from "../core/row.js";
import { CELL_FACETS, type FacetGroup, facetGroups } from "../metrics/index.js";
import type { Line } from "./cells.js";
import { facetTable } from "./facet-table.js";
import { heatMap } from "./heat-map.js";

/** A value of a facet, and the key of the summary that speaks of it. */
export interface FacetEntry {
  readonly value: FacetValue;
  readonly key: string;
}

/** A depth with a length, and the key of the summary that speaks of both. */
interface CellEntry {
  readonly depth: FacetValue;
  readonly length: FacetValue;
  readonly key: string;
}

/** What the rows of one dataset are broken down by. */
export interface FacetLayout {
  /** Null when the run has no other dataset. */
  readonly dataset: string | null;
  /** The values of each facet, in their order. */
  readonly byField: ReadonlyMap<string, readonly FacetEntry[]>;
  readonly cells: readonly CellEntry[];
}

/** A report that did not ask for maps has no more than this many: one for each system would bury the rest. */
const MOST_MAPS = 4;

/**
 * The results by the facets of the examples: a heat-map of depth and length for each system, a table for any other
 * facet. Many maps are shown when they are asked for.
 */
export function facetParts(lines: readonly Line[], layouts: readonly FacetLayout[], isAsked: boolean): string[] {
  return layouts.flatMap((layout) => {
    const hasMap = layout.cells.length > 0;
    const maps = lines.length > MOST_MAPS && !isAsked ? [hint(lines)] : lines.map((line) => heatMap(line, layout));
    const isOnMap = (field: string) => hasMap && (CELL_FACETS as readonly string[]).includes(field);
    const fields = [...layout.byField].filter(([field]) => !isOnMap(field));
    const { dataset } = layout;
    return [
      ...(hasMap ? maps : []),
      ...fields.map(([field, entries]) => facetTable(lines, { field, entries, dataset })),
    ];
  });
}

function hint(lines: readonly Line[]): string {
  return `Mean score by depth and length: a map for each of the ${lines.length} systems is shown with --columns facets.`;
}

/** Every key of the breakdown by facets. */
export function facetKeys(layouts: readonly FacetLayout[]): string[] {
  return layouts.flatMap(({ byField, cells }) => [...[...byField.values()].flat(), ...cells].map(({ key }) => key));
}

/** What the rows of a result can be broken down by; empty when none has facets. */
export function facetLayouts({ rows, config }: Pick<EvalResult, "rows" | "config">): FacetLayout[] {
  const tags = config.datasets.flatMap((dataset) => dataset.tags);
  const { groups } = facetGroups(rows, tags);
  const own = new Set(groups.map(({ dataset }) => dataset));
  const isMixture = own.size > 1 || new Set(tags).size > 1;
  return [...own].map((tag) => ({
    dataset: isMixture ? tag || "unknown" : null,
    ...layoutOf(groups.filter(({ dataset }) => dataset === tag)),
  }));
}

function layoutOf(groups: readonly FacetGroup<unknown>[]): Pick<FacetLayout, "byField" | "cells"> {
  const byField = new Map<string, FacetEntry[]>();
  const cells: CellEntry[] = [];
  for (const { key, facets } of groups) {
    const [[field, value] = ["", ""], ...others] = Object.entries(facets);
    const { depth, length } = facets;
    if (others.length === 0) byField.set(field, [...(byField.get(field) ?? []), { value, key }]);
    else if (depth !== undefined && length !== undefined) cells.push({ depth, length, key });
  }
  return { byField, cells };
}
