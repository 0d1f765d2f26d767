import type { FacetValue } from "../core/row.js";
import { type Line, measured, tasksBehind, withInterval } from "./cells.js";
import type { FacetEntry } from "./facets.js";
import { type Column, markdownTable, oneLine } from "./markdown.js";

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
export function facetTable(lines: readonly Line[], { field, entries, dataset }: FacetTableParts): string {
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
