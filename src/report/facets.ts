import type { EvalResult, Summary } from "../core/result.js";
import type { FacetValue } from "../core/row.js";
import { CELL_FACETS, type FacetGroup, facetGroups } from "../metrics/index.js";
import { type Line, measured, tasksBehind, withInterval } from "./cells.js";
import { plural } from "./format.js";
import { type Column, markdownTable, oneLine } from "./markdown.js";

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

/** At most this many values are shown; the JSON report has all that the summary holds. */
const MOST_SHOWN = 30;

interface FacetTableParts {
  field: string;
  entries: readonly FacetEntry[];
  dataset: string | null;
}

/**
 * The mean score for each value of a facet, a column for each system. Of very many values the lowest are shown, because
 * it is those that one looks for.
 */
function facetTable(lines: readonly Line[], { field, entries, dataset }: FacetTableParts): string {
  const lowest = entries.toSorted((a, b) => meanOf(lines, a) - meanOf(lines, b)).slice(0, MOST_SHOWN);
  // Numbers are read along their scale; of names, the lowest come first.
  const shown = entries.every(({ value }) => isNumber(value)) ? entries.filter((one) => lowest.includes(one)) : lowest;
  const about = `Mean score by ${oneLine(field)}${dataset === null ? "" : ` of ${oneLine(dataset)}`}`;
  const more =
    shown.length === entries.length
      ? ""
      : `: the ${shown.length} lowest of ${entries.length} values, all of which are in the JSON report`;
  return `${about}${more}.\n\n${markdownTable(columnsOf(lines, field), shown)}`;
}

function columnsOf(lines: readonly Line[], field: string): Column<FacetEntry>[] {
  const scores = lines.map((line) => ({
    title: `${line.system} [95 %]`,
    align: "right" as const,
    cell: ({ key }: FacetEntry) => withInterval(key)(line),
  }));
  return [
    { title: field, cell: ({ value }) => String(value) },
    { title: "n", align: "right", cell: (entry) => tasksOf(lines, entry) },
    ...scores,
  ];
}

/** How many tasks stand behind each system's score; once when it is the same for all. */
function tasksOf(lines: readonly Line[], { key }: FacetEntry): string {
  const counts = new Set(lines.map(({ summary }) => tasksBehind(summary, key)));
  return counts.size === 1 ? String([...counts][0]) : lines.map(({ summary }) => tasksBehind(summary, key)).join(", ");
}

/** Over the systems that have it measured. What nobody has comes last. */
function meanOf(lines: readonly Line[], { key }: FacetEntry): number {
  const known = lines.flatMap(({ summary }) => measured(summary, key) ?? []);
  return known.length === 0 ? 2 : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function isNumber(value: FacetValue): boolean {
  return typeof value === "number";
}

/** From how much on a score is marked so; the best come first. */
const SHADES = [
  [0.8, "██"],
  [0.6, "▓▓"],
  [0.4, "▒▒"],
  [0.2, "░░"],
  [Number.NEGATIVE_INFINITY, "··"],
] as const;

const LEGEND = "██ from 0.8, ▓▓ from 0.6, ▒▒ from 0.4, ░░ from 0.2, ·· below";

/** A line of the map: a depth, or the means of all of them. */
interface MapLine {
  title: string;
  /** The scores of the lengths, and then that of all of them. */
  scores: readonly Score[];
}

/** A mean, and how many tasks stand behind it. */
interface Score {
  mean: number | null;
  n: number;
}

/**
 * Where in a text, and in how long a text, a system finds what it is asked for: depth down, length across, means at the
 * edges.
 */
function heatMap({ system, summary }: Line, layout: FacetLayout): string {
  const lengths = layout.byField.get("length") ?? [];
  const lines = mapLines(summary, layout);
  const cells = lines.slice(0, -1).flatMap(({ scores }) => scores.slice(0, -1));
  const counts = new Set(cells.map(({ n }) => n));
  const each = counts.size === 1 ? `, ${plural([...counts][0] ?? 0, "task")} a cell` : "";
  const columns: Column<MapLine>[] = [
    { title: "depth ↓ length →", cell: ({ title }) => title },
    ...[...lengths.map(({ value }) => String(value)), "mean"].map((title, at) => ({
      title,
      align: "right" as const,
      cell: ({ scores }: MapLine) => shaded(scores[at], counts.size !== 1),
    })),
  ];
  const of = layout.dataset === null ? "" : ` of ${oneLine(layout.dataset)}`;
  const means = counts.size === 1 ? "" : "; in brackets, how many tasks";
  return `${oneLine(system)}: mean score by depth and length${of}${each} (${LEGEND}${means}).\n\n${markdownTable(columns, lines)}`;
}

function mapLines(summary: Summary, { byField, cells }: FacetLayout): MapLine[] {
  const [depths, lengths] = [byField.get("depth") ?? [], byField.get("length") ?? []];
  const keys = new Map(cells.map(({ depth, length, key }) => [placeOf(depth, length), key]));
  const score = (key: string | undefined): Score =>
    key === undefined ? { mean: null, n: 0 } : { mean: measured(summary, key), n: tasksBehind(summary, key) };
  const bySize = (entries: readonly FacetEntry[]) => entries.map(({ key }) => score(key));
  const inside = depths.map(({ value, key }) => ({
    title: String(value),
    scores: [...lengths.map((length) => score(keys.get(placeOf(value, length.value)))), score(key)],
  }));
  return [...inside, { title: "mean", scores: [...bySize(lengths), together(bySize(depths))] }];
}

function placeOf(depth: FacetValue, length: FacetValue): string {
  return JSON.stringify([String(depth), String(length)]);
}

/** Every task stands behind one depth, so that their means weighted by tasks are the mean of all. */
function together(scores: readonly Score[]): Score {
  const n = scores.reduce((sum, score) => sum + score.n, 0);
  const total = scores.reduce((sum, score) => sum + (score.mean ?? 0) * score.n, 0);
  return { mean: n === 0 ? null : total / n, n };
}

function shaded({ mean, n }: Score = { mean: null, n: 0 }, showsCount: boolean): string {
  if (mean === null) return "–";
  // Marked by what can be read: 0.3999999 is shown as 0.40.
  const shown = mean.toFixed(2);
  const shade = SHADES.find(([least]) => Number(shown) >= least)?.[1] ?? "";
  return `${shade} ${shown}${showsCount ? ` (${n})` : ""}`;
}
