import { formatCount, formatScore, formatSeconds, MISSING, revealLine } from "../../ui/index.js";
import type { RowTable } from "../rows/row-table.js";

export interface GridColumn {
  /** The sort key in the address. */
  readonly key: string;
  readonly title: string;
  /** In pixels: fixed, since most rows are never drawn. */
  readonly width: number;
  readonly isNumeric: boolean;
  /** May be too long for its cell. */
  readonly isName?: boolean;
  readonly text: (table: RowTable, place: number) => string;
}

const DEFAULT_FIELD_COUNT = 6;

/**
 * Leaves out columns in which all rows are the same, and score fields beyond the first few unless `fields` names them.
 * `sortedBy` is always included.
 */
export function buildGridColumns(table: RowTable, fields: readonly string[] | null, sortedBy: string): GridColumn[] {
  const { head } = table;
  const chosen = fields ?? selectDefaultFields(head.fields);
  const shown = head.fields.filter((field) => chosen.includes(field) || sortedBy === `field:${field}`);
  return [
    EXAMPLE_COLUMN,
    ...(head.systems.length > 1 || sortedBy === "system" ? [SYSTEM_COLUMN] : []),
    ...(head.datasets.length > 1 || sortedBy === "dataset" ? [DATASET_COLUMN] : []),
    TRIAL_COLUMN,
    OUTCOME_COLUMN,
    CATEGORY_COLUMN,
    ...MEASURE_COLUMNS,
    ...shown.map((field) => createScoreColumn(field, head.fields.indexOf(field))),
  ];
}

/** Including columns that are not shown. */
export function listSortColumns({ head }: RowTable): readonly Pick<GridColumn, "key" | "title">[] {
  const fields = head.fields.map(createScoreColumn);
  return [
    EXAMPLE_COLUMN,
    SYSTEM_COLUMN,
    DATASET_COLUMN,
    TRIAL_COLUMN,
    OUTCOME_COLUMN,
    CATEGORY_COLUMN,
    ...MEASURE_COLUMNS,
    ...fields,
  ];
}

export function selectDefaultFields(fields: readonly string[]): readonly string[] {
  return fields.slice(0, DEFAULT_FIELD_COUNT);
}

const EXAMPLE_COLUMN: GridColumn = {
  key: "example",
  title: "Example",
  width: 200,
  isNumeric: false,
  isName: true,
  text: ({ ids }, place) => revealLine(String(ids[place] ?? "")),
};

const SYSTEM_COLUMN: GridColumn = {
  key: "system",
  title: "System",
  width: 190,
  isNumeric: false,
  isName: true,
  text: ({ columns, head }, place) => revealLine(head.systems[columns.system[place] ?? 0] ?? ""),
};

const DATASET_COLUMN: GridColumn = {
  key: "dataset",
  title: "Dataset",
  width: 140,
  isNumeric: false,
  isName: true,
  text: ({ columns, head }, place) => revealLine(head.datasets[columns.dataset[place] ?? 0] ?? ""),
};

const TRIAL_COLUMN: GridColumn = {
  key: "trial",
  title: "Trial",
  width: 62,
  isNumeric: true,
  text: ({ columns }, place) => String(columns.trial[place] ?? 0),
};

const OUTCOME_COLUMN: GridColumn = {
  key: "outcome",
  title: "Outcome",
  width: 104,
  isNumeric: false,
  text: (table, place) => table.getOutcome(place),
};

const CATEGORY_COLUMN: GridColumn = {
  key: "category",
  title: "Category",
  width: 116,
  isNumeric: false,
  text: (table, place) => {
    const category = table.getCategory(place);
    return category === "none" ? "" : category;
  },
};

const MEASURE_COLUMNS: readonly GridColumn[] = [
  createMeasureColumn("score", "Score", formatScore),
  createMeasureColumn("costUsd", "$ per 1,000", formatPerThousand),
  createMeasureColumn("latency", "Latency", formatSeconds),
  createMeasureColumn("inputTokens", "Tokens in", formatCount),
  createMeasureColumn("outputTokens", "Tokens out", formatCount),
  createMeasureColumn("turns", "Turns", formatCount),
  createMeasureColumn("attempts", "Failed attempts", (value) => (value === 0 ? MISSING : formatCount(value))),
];

/** One unit for the column, and enough digits for a cheap call: a single one costs a fraction of a cent. */
function formatPerThousand(costUsd: number | null): string {
  return costUsd === null ? MISSING : PER_THOUSAND_FORMAT.format(costUsd * 1000);
}

const PER_THOUSAND_FORMAT = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 });

type MeasureKey = "score" | "costUsd" | "latency" | "inputTokens" | "outputTokens" | "turns" | "attempts";

function createMeasureColumn(key: MeasureKey, title: string, format: (value: number | null) => string): GridColumn {
  const width = Math.max(88, title.length * 9 + 24);
  return {
    key,
    title,
    width,
    isNumeric: true,
    text: ({ columns }, place) => format(convertNanToNull(columns[key][place])),
  };
}

function createScoreColumn(field: string, index: number): GridColumn {
  return {
    key: `field:${field}`,
    title: field,
    width: Math.min(220, Math.max(88, field.length * 8 + 30)),
    isNumeric: true,
    text: ({ columns }, place) => formatScore(convertNanToNull(columns.scores[index]?.[place])),
  };
}

function convertNanToNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
