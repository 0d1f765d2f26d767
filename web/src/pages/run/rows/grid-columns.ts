import { formatCount, formatDollars, formatScore, formatSeconds, NOTHING } from "../../../ui/format.js";
import { visibleLine } from "../../trial/text/visible-text.js";
import type { RowTable } from "./row-table.js";

/** A column of the grid of rows. */
export interface GridColumn {
  /** What rows are sorted by, as in the address. */
  readonly key: string;
  readonly title: string;
  /** In pixels: the same for all rows, since most of them are never drawn. */
  readonly width: number;
  readonly isNumeric: boolean;
  /** May be too long for its cell. */
  readonly isName?: boolean;
  readonly text: (table: RowTable, place: number) => string;
}

/** Score fields that are shown unless others are chosen. */
const FIELDS_AT_FIRST = 6;

/**
 * The columns of a table: those in which all rows are the same are left out, as are all but the first score fields
 * unless `fields` names others. `sortedBy` is always among them.
 */
export function gridColumns(table: RowTable, fields: readonly string[] | null, sortedBy: string): GridColumn[] {
  const { head } = table;
  const chosen = fields ?? fieldsAtFirst(head.fields);
  const shown = head.fields.filter((field) => chosen.includes(field) || sortedBy === `field:${field}`);
  return [
    EXAMPLE,
    ...(head.systems.length > 1 || sortedBy === "system" ? [SYSTEM] : []),
    ...(head.datasets.length > 1 || sortedBy === "dataset" ? [DATASET] : []),
    TRIAL,
    OUTCOME,
    CATEGORY,
    ...MEASURES,
    ...shown.map((field) => scoreField(field, head.fields.indexOf(field))),
  ];
}

/** Every column that rows can be sorted by, shown or not. */
export function sortColumns({ head }: RowTable): readonly Pick<GridColumn, "key" | "title">[] {
  const fields = head.fields.map(scoreField);
  return [EXAMPLE, SYSTEM, DATASET, TRIAL, OUTCOME, CATEGORY, ...MEASURES, ...fields];
}

/** The score fields that are shown when none are chosen. */
export function fieldsAtFirst(fields: readonly string[]): readonly string[] {
  return fields.slice(0, FIELDS_AT_FIRST);
}

const EXAMPLE: GridColumn = {
  key: "example",
  title: "Example",
  width: 200,
  isNumeric: false,
  isName: true,
  text: ({ ids }, place) => visibleLine(String(ids[place] ?? "")),
};

const SYSTEM: GridColumn = {
  key: "system",
  title: "System",
  width: 190,
  isNumeric: false,
  isName: true,
  text: ({ columns, head }, place) => visibleLine(head.systems[columns.system[place] ?? 0] ?? ""),
};

const DATASET: GridColumn = {
  key: "dataset",
  title: "Dataset",
  width: 140,
  isNumeric: false,
  isName: true,
  text: ({ columns, head }, place) => visibleLine(head.datasets[columns.dataset[place] ?? 0] ?? ""),
};

const TRIAL: GridColumn = {
  key: "trial",
  title: "Trial",
  width: 62,
  isNumeric: true,
  text: ({ columns }, place) => String(columns.trial[place] ?? 0),
};

const OUTCOME: GridColumn = {
  key: "outcome",
  title: "Outcome",
  width: 104,
  isNumeric: false,
  text: (table, place) => table.outcomeAt(place),
};

const CATEGORY: GridColumn = {
  key: "category",
  title: "Category",
  width: 116,
  isNumeric: false,
  text: (table, place) => {
    const category = table.categoryAt(place);
    return category === "none" ? "" : category;
  },
};

const MEASURES: readonly GridColumn[] = [
  measure("score", "Score", formatScore),
  measure("costUsd", "Cost", formatDollars),
  measure("latency", "Latency", formatSeconds),
  measure("inputTokens", "Tokens in", formatCount),
  measure("outputTokens", "Tokens out", formatCount),
  measure("turns", "Turns", formatCount),
  measure("attempts", "Failed attempts", (value) => (value === 0 ? NOTHING : formatCount(value))),
];

type Measure = "score" | "costUsd" | "latency" | "inputTokens" | "outputTokens" | "turns" | "attempts";

function measure(key: Measure, title: string, format: (value: number | null) => string): GridColumn {
  const width = Math.max(88, title.length * 9 + 24);
  return { key, title, width, isNumeric: true, text: ({ columns }, place) => format(known(columns[key][place])) };
}

function scoreField(field: string, index: number): GridColumn {
  return {
    key: `field:${field}`,
    title: field,
    width: Math.min(220, Math.max(88, field.length * 8 + 30)),
    isNumeric: true,
    text: ({ columns }, place) => formatScore(known(columns.scores[index]?.[place])),
  };
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
