import type { TrialExcerpts } from "../../../../src/report/dashboard/contract.js";
import {
  formatCount,
  formatScore,
  formatSeconds,
  joinLines,
  MISSING,
  revealLine,
  stripMarkdown,
} from "../../ui/index.js";
import type { RowLabels } from "../row-filter.js";
import type { RowTable } from "../rows/row-table.js";
import { getLabelVerdict } from "../rows/select-rows.js";

export interface GridColumn {
  /** The sort key in the address. */
  readonly key: string;
  readonly title: string;
  /** In CSS, and fixed, since most rows are never drawn. */
  readonly width: string;
  readonly isNumeric: boolean;
  /** May be too long for its cell. */
  readonly isName?: boolean;
  /** There is no order by it. */
  readonly isUnsorted?: boolean;
  readonly text: (table: RowTable, place: number, texts: TrialExcerpts | undefined) => string;
}

export interface GridColumnOptions {
  /** The score fields to show; null for the first few. */
  readonly fields: readonly string[] | null;
  readonly sortedBy: string;
  readonly labels: RowLabels | null;
}

const DEFAULT_FIELD_COUNT = 6;

/**
 * Leaves out columns in which all rows are the same, and score fields beyond the first few unless `fields` names them.
 * `sortedBy` is always included.
 */
export function buildGridColumns({ head }: RowTable, { fields, sortedBy, labels }: GridColumnOptions): GridColumn[] {
  const chosen = fields ?? selectDefaultFields(head.fields);
  const shown = head.fields.filter((field) => chosen.includes(field) || sortedBy === `field:${field}`);
  return [
    EXAMPLE_COLUMN,
    OUTCOME_COLUMN,
    SCORE_COLUMN,
    ...(labels !== null && labels.size > 0 ? [createLabelColumn(labels)] : []),
    ...(head.systems.length > 1 || sortedBy === "system" ? [SYSTEM_COLUMN] : []),
    ...(head.datasets.length > 1 || sortedBy === "dataset" ? [DATASET_COLUMN] : []),
    TRIAL_COLUMN,
    COST_COLUMN,
    LATENCY_COLUMN,
    ...EXCERPT_COLUMNS,
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
    OUTCOME_COLUMN,
    SCORE_COLUMN,
    SYSTEM_COLUMN,
    DATASET_COLUMN,
    TRIAL_COLUMN,
    CATEGORY_COLUMN,
    COST_COLUMN,
    LATENCY_COLUMN,
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
  width: "var(--example-width)",
  isNumeric: false,
  isName: true,
  text: ({ ids }, place) => revealLine(String(ids[place] ?? "")),
};

const SYSTEM_COLUMN: GridColumn = {
  key: "system",
  title: "System",
  width: "170px",
  isNumeric: false,
  isName: true,
  text: ({ columns, head }, place) => revealLine(head.systems[columns.system[place] ?? 0] ?? ""),
};

const DATASET_COLUMN: GridColumn = {
  key: "dataset",
  title: "Dataset",
  width: "140px",
  isNumeric: false,
  isName: true,
  text: ({ columns, head }, place) => revealLine(head.datasets[columns.dataset[place] ?? 0] ?? ""),
};

const TRIAL_COLUMN: GridColumn = {
  key: "trial",
  title: "Trial",
  width: "62px",
  isNumeric: true,
  text: ({ columns }, place) => String(columns.trial[place] ?? 0),
};

const OUTCOME_COLUMN: GridColumn = {
  key: "outcome",
  title: "Outcome",
  width: "104px",
  isNumeric: false,
  text: (table, place) => table.getOutcome(place),
};

const CATEGORY_COLUMN: GridColumn = {
  key: "category",
  title: "Category",
  width: "116px",
  isNumeric: false,
  text: (table, place) => {
    const category = table.getCategory(place);
    return category === "none" ? "" : category;
  },
};

const EXCERPT_COLUMNS: readonly GridColumn[] = [
  createExcerptColumn("question", "Question", 230),
  createExcerptColumn("expected", "Expected", 110),
  createExcerptColumn("response", "Response", 230),
];

const SCORE_COLUMN = createMeasureColumn("score", "Score", formatScore);

// Before the texts, which fill the rest of a wide screen.
const COST_COLUMN = createMeasureColumn("costUsd", "$ per 1,000", formatPerThousand);
const LATENCY_COLUMN = createMeasureColumn("latency", "Latency", formatSeconds);

const MEASURE_COLUMNS: readonly GridColumn[] = [
  createMeasureColumn("inputTokens", "Tokens in", formatCount),
  createMeasureColumn("outputTokens", "Tokens out", formatCount),
  createMeasureColumn("turns", "Turns", formatCount),
  createMeasureColumn("attempts", "Failed attempts", (value) => (value === 0 ? MISSING : formatCount(value))),
];

/**
 * One unit for the column, and the same digits, so that figures line up. A single call often costs a fraction of a cent.
 */
function formatPerThousand(costUsd: number | null): string {
  return costUsd === null ? MISSING : PER_THOUSAND_FORMAT.format(costUsd * 1000);
}

const PER_THOUSAND_FORMAT = new Intl.NumberFormat("en-US", { minimumFractionDigits: 4, maximumFractionDigits: 4 });

type MeasureKey = "score" | "costUsd" | "latency" | "inputTokens" | "outputTokens" | "turns" | "attempts";

function createMeasureColumn(key: MeasureKey, title: string, format: (value: number | null) => string): GridColumn {
  return {
    key,
    title,
    width: `${Math.max(88, title.length * 9 + 24)}px`,
    isNumeric: true,
    text: ({ columns }, place) => format(convertNanToNull(columns[key][place])),
  };
}

function createScoreColumn(field: string, index: number): GridColumn {
  return {
    key: `field:${field}`,
    title: field,
    width: `${Math.min(220, Math.max(88, field.length * 8 + 30))}px`,
    isNumeric: true,
    text: ({ columns }, place) => formatScore(convertNanToNull(columns.scores[index]?.[place])),
  };
}

function createLabelColumn(labels: RowLabels): GridColumn {
  return {
    key: "label",
    title: "Label",
    width: "84px",
    isNumeric: false,
    isUnsorted: true,
    text: (table, place) => getLabelVerdict(table, place, labels) ?? MISSING,
  };
}

function createExcerptColumn(excerpt: keyof TrialExcerpts, title: string, pixels: number): GridColumn {
  return {
    key: excerpt,
    title,
    width: `${pixels}px`,
    isNumeric: false,
    isName: true,
    isUnsorted: true,
    text: (_table, _place, texts) => {
      const text = texts?.[excerpt] ?? MISSING;
      // What is expected is compared letter by letter.
      return texts === undefined ? "" : revealLine(joinLines(excerpt === "expected" ? text : stripMarkdown(text)));
    },
  };
}

function convertNanToNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
