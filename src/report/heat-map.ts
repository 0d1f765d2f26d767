import type { Summary } from "../core/result.js";
import type { FacetValue } from "../core/row.js";
import { type Line, measured, tasksBehind } from "./cells.js";
import type { FacetEntry, FacetLayout } from "./facets.js";
import { plural } from "./format.js";
import { type Column, markdownTable, oneLine } from "./markdown.js";

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
export function heatMap({ system, summary }: Line, layout: FacetLayout): string {
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
