import type { EvalResult, FacetValue, Summary } from "../core/index.js";
import { getOwn } from "../core/index.js";
import { CELL_FACETS, type FacetGroup, groupByFacet } from "../metrics/index.js";
import { countTasks, createIntervalCell, formatPlural, getMeasured, type SystemLine } from "./format.js";
import { createLayout, type Layout } from "./layout.js";
import { type Figure, type TableColumn, toOneLine } from "./markdown.js";

/** A facet value and its key in the summary. */
export interface FacetEntry {
  readonly value: FacetValue;
  readonly key: string;
}

/** A depth and a length, and their key in the summary. */
interface CellEntry {
  readonly depth: FacetValue;
  readonly length: FacetValue;
  readonly key: string;
}

/** The facets of the rows of one dataset. */
export interface FacetLayout {
  /** Null when the run has only one dataset. */
  readonly dataset: string | null;
  /** The values of each facet, in order. */
  readonly byField: ReadonlyMap<string, readonly FacetEntry[]>;
  readonly cells: readonly CellEntry[];
}

/** Limit for reports that did not ask for maps: one for each system would hide the rest. */
const MAX_MAPS = 4;

export interface FacetOptions {
  /** True if the user asked for facets. */
  isAsked: boolean;
  /** Leaves no column out. */
  isComplete?: boolean;
  /** Default: Markdown. */
  layout?: Layout;
}

/** Draws a table under what it is about. */
type Draw = <T>(about: string, columns: readonly TableColumn<T>[], items: readonly T[]) => string;

const HINT = "See all with --columns all, or in a wider terminal.";

/**
 * Renders the results by facet: a heat map of depth and length for each system, a table for any other facet. Many maps are
 * shown only on request.
 */
export function renderFacets(
  lines: readonly SystemLine[],
  layouts: readonly FacetLayout[],
  { isAsked, isComplete = false, layout: drawing = createLayout() }: FacetOptions,
): string[] {
  const draw: Draw = (about, columns, items) =>
    `${drawing.text(about)}\n\n${drawing.table(columns, items, { isComplete, hint: HINT })}`;
  return layouts.flatMap((layout) => {
    const hasMap = layout.cells.length > 0;
    const maps =
      lines.length > MAX_MAPS && !isAsked
        ? [drawing.text(formatHeatMapHint(lines))]
        : lines.map((line) => renderHeatMap(line, layout, draw));
    const isOnMap = (field: string) => hasMap && (CELL_FACETS as readonly string[]).includes(field);
    const fields = [...layout.byField].filter(([field]) => !isOnMap(field));
    const { dataset } = layout;
    return [
      ...(hasMap ? maps : []),
      ...fields.map(([field, entries]) => renderFacetTable(lines, { field, entries, dataset }, draw)),
    ];
  });
}

function formatHeatMapHint(lines: readonly SystemLine[]): string {
  return `Mean score by depth and length: --columns facets shows a map for each of the ${lines.length} systems.`;
}

export function listFacetKeys(layouts: readonly FacetLayout[]): string[] {
  return layouts.flatMap(({ byField, cells }) => [...[...byField.values()].flat(), ...cells].map(({ key }) => key));
}

/** Empty when no row has facets. */
export function buildFacetLayouts({ rows, config }: Pick<EvalResult, "rows" | "config">): FacetLayout[] {
  const tags = config.datasets.flatMap((dataset) => dataset.tags);
  const { groups } = groupByFacet(rows, tags);
  const own = new Set(groups.map(({ dataset }) => dataset));
  const isMixture = own.size > 1 || new Set(tags).size > 1;
  return [...own].map((tag) => ({
    dataset: isMixture ? tag || "unknown" : null,
    ...buildFacetLayout(groups.filter(({ dataset }) => dataset === tag)),
  }));
}

function buildFacetLayout(groups: readonly FacetGroup<unknown>[]): Pick<FacetLayout, "byField" | "cells"> {
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

/** Maximum number of values in the table; the JSON report has all. */
const MAX_VALUES = 30;

interface FacetTableParts {
  field: string;
  entries: readonly FacetEntry[];
  dataset: string | null;
}

/**
 * The mean score by facet value, with a column for each system. Of very many values, the lowest are shown, because they are
 * the interesting ones.
 */
function renderFacetTable(
  lines: readonly SystemLine[],
  { field, entries, dataset }: FacetTableParts,
  draw: Draw,
): string {
  const lowest = entries.toSorted((a, b) => averageScore(lines, a) - averageScore(lines, b)).slice(0, MAX_VALUES);
  // Numbers are sorted by value, names by rising score.
  const shown = entries.every(({ value }) => isNumericFacet(value))
    ? entries.filter((one) => lowest.includes(one))
    : lowest;
  const about = `Mean score by ${toOneLine(field)}${dataset === null ? "" : ` of ${toOneLine(dataset)}`}`;
  const more =
    shown.length === entries.length
      ? ""
      : `: the ${shown.length} lowest of ${entries.length} values; the JSON report has all`;
  return draw(`${about}${more}.`, createFacetColumns(lines, field), shown);
}

function createFacetColumns(lines: readonly SystemLine[], field: string): TableColumn<FacetEntry>[] {
  const scores = lines.map((line) => ({
    title: line.system,
    align: "right" as const,
    cell: ({ key }: FacetEntry) => createIntervalCell(key)(line),
    figure: createFacetFigure(line),
  }));
  return [
    { title: field, cell: ({ value }) => String(value) },
    { title: "n", align: "right", cell: (entry) => formatTaskCounts(lines, entry) },
    ...scores,
  ];
}

function createFacetFigure({ summary }: SystemLine): Figure<FacetEntry> {
  return {
    unit: "number",
    level: "95 %",
    get: ({ key }) => ({
      value: getMeasured(summary, key),
      low: getOwn(summary, `${key}_ci_low`) ?? null,
      high: getOwn(summary, `${key}_ci_high`) ?? null,
    }),
  };
}

/** The number of tasks of each system, shown once when it is the same for all. */
function formatTaskCounts(lines: readonly SystemLine[], { key }: FacetEntry): string {
  const counts = new Set(lines.map(({ summary }) => countTasks(summary, key)));
  return counts.size === 1 ? String([...counts][0]) : lines.map(({ summary }) => countTasks(summary, key)).join(", ");
}

/** Over the systems with a value; a facet value without any comes last. */
function averageScore(lines: readonly SystemLine[], { key }: FacetEntry): number {
  const known = lines.flatMap(({ summary }) => getMeasured(summary, key) ?? []);
  return known.length === 0 ? 2 : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function isNumericFacet(value: FacetValue): boolean {
  return typeof value === "number";
}

/** Lower bounds of the shades, best first. */
const SHADES = [
  [0.8, "██"],
  [0.6, "▓▓"],
  [0.4, "▒▒"],
  [0.2, "░░"],
  [Number.NEGATIVE_INFINITY, "··"],
] as const;

const LEGEND = "██ from 0.8, ▓▓ from 0.6, ▒▒ from 0.4, ░░ from 0.2, ·· below";

/** A line of the map: a depth, or the means of all depths. */
interface HeatMapLine {
  title: string;
  /** The score of each length, and then of all lengths. */
  scores: readonly CellScore[];
}

interface CellScore {
  mean: number | null;
  n: number;
}

/** How well a system finds the needle by its depth (down) and the length of the text (across), with means at the edges. */
function renderHeatMap({ system, summary }: SystemLine, layout: FacetLayout, draw: Draw): string {
  const lengths = layout.byField.get("length") ?? [];
  const lines = buildHeatMapLines(summary, layout);
  const cells = lines.slice(0, -1).flatMap(({ scores }) => scores.slice(0, -1));
  const counts = new Set(cells.map(({ n }) => n));
  const each = counts.size === 1 ? `, ${formatPlural([...counts][0] ?? 0, "task")} per cell` : "";
  const columns: TableColumn<HeatMapLine>[] = [
    { title: "depth ↓ length →", cell: ({ title }) => title },
    ...[...lengths.map(({ value }) => String(value)), "mean"].map((title, at) => ({
      title,
      align: "right" as const,
      cell: ({ scores }: HeatMapLine) => formatShadedScore(scores[at], counts.size !== 1),
    })),
  ];
  const of = layout.dataset === null ? "" : ` of ${toOneLine(layout.dataset)}`;
  const means = counts.size === 1 ? "" : "; the number of tasks in parentheses";
  return draw(`${toOneLine(system)}: mean score by depth and length${of}${each} (${LEGEND}${means}).`, columns, lines);
}

function buildHeatMapLines(summary: Summary, { byField, cells }: FacetLayout): HeatMapLine[] {
  const [depths, lengths] = [byField.get("depth") ?? [], byField.get("length") ?? []];
  const keys = new Map(cells.map(({ depth, length, key }) => [formatCellKey(depth, length), key]));
  const score = (key: string | undefined): CellScore =>
    key === undefined ? { mean: null, n: 0 } : { mean: getMeasured(summary, key), n: countTasks(summary, key) };
  const bySize = (entries: readonly FacetEntry[]) => entries.map(({ key }) => score(key));
  const inside = depths.map(({ value, key }) => ({
    title: String(value),
    scores: [...lengths.map((length) => score(keys.get(formatCellKey(value, length.value)))), score(key)],
  }));
  return [...inside, { title: "mean", scores: [...bySize(lengths), mergeCellScores(bySize(depths))] }];
}

function formatCellKey(depth: FacetValue, length: FacetValue): string {
  return JSON.stringify([String(depth), String(length)]);
}

/** Every task has exactly one depth, so the means weighted by tasks give the overall mean. */
function mergeCellScores(scores: readonly CellScore[]): CellScore {
  const n = scores.reduce((sum, score) => sum + score.n, 0);
  const total = scores.reduce((sum, score) => sum + (score.mean ?? 0) * score.n, 0);
  return { mean: n === 0 ? null : total / n, n };
}

function formatShadedScore({ mean, n }: CellScore = { mean: null, n: 0 }, showsCount: boolean): string {
  if (mean === null) return "–";
  // Shaded by the rounded value: 0.3999999 is shown as 0.40.
  const shown = mean.toFixed(2);
  const shade = SHADES.find(([least]) => Number(shown) >= least)?.[1] ?? "";
  return `${shade} ${shown}${showsCount ? ` (${n})` : ""}`;
}
