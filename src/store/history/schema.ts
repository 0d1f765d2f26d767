import { type NamedRowField, ROW_FIELD_LIST } from "../../core/index.js";

/** The views that a statement can use. */
export const VIEW_NAMES = ["runs", "rows", "trials", "usage", "summary"] as const;

export type ViewName = (typeof VIEW_NAMES)[number];

/** A column of a view: its name, DuckDB type and description. */
export type ViewColumn = readonly [name: string, type: string, about: string];

/** The documentation of a view. */
export interface ViewDescription {
  readonly about: string;
  readonly columns: readonly ViewColumn[];
}

const RUN_COLUMN: ViewColumn = ["run", "VARCHAR", "the name of the run folder"];
const CREATED_COLUMN: ViewColumn = ["created_at", "TIMESTAMP", "when the run was started, in UTC"];

/** The columns of `rows`: the run of a row, and its fields. */
export const ROW_COLUMNS: readonly ViewColumn[] = [
  RUN_COLUMN,
  CREATED_COLUMN,
  ...ROW_FIELD_LIST.flatMap(listFieldColumns),
];

function listFieldColumns({ name, columnName, sqlType, about }: NamedRowField): ViewColumn[] {
  const column: ViewColumn = [columnName, sqlType, about];
  return name === "scores" ? [["score", "DOUBLE", "the primary score"], column] : [column];
}

const RUN_COLUMNS: readonly ViewColumn[] = [
  RUN_COLUMN,
  ["title", "VARCHAR", "the title of the run"],
  ["tags", "VARCHAR[]", "the tags given with assay runs tag or --tag"],
  ["command", "VARCHAR", "the command that started it; NULL for a program"],
  ["status", "VARCHAR", "complete, incomplete or running"],
  CREATED_COLUMN,
  ["git_revision", "VARCHAR", "the commit of the working folder"],
  ["assay_version", "VARCHAR", "the Assay version that wrote it"],
  ["planned", "BIGINT", "planned trials"],
  ["done", "BIGINT", "finished trials, from the summary; NULL without one"],
  ["trials", "BIGINT", "trials per example"],
  ["threshold", "DOUBLE", "the minimum primary score to pass"],
  ["seed", "BIGINT", "the seed of the run"],
  ["datasets", "VARCHAR[]", "the names of its datasets"],
  ["systems", "VARCHAR[]", "the names of its systems"],
  ["cost_usd", "DOUBLE", "total cost of its trials, from the summary; NULL if unknown"],
  ["wall_seconds", "DOUBLE", "duration of the run; NULL if it never finished"],
  ["parent", "VARCHAR", "the run whose outputs were graded again"],
];

/** Columns of `trials` in addition to those of `rows`. */
export const EXTRA_TRIAL_COLUMNS: readonly ViewColumn[] = [
  ["question", "VARCHAR", "the question, if stored with the run"],
  ["answer", "VARCHAR", "the expected answer; the first of several"],
  ["response", "VARCHAR", "the response of the system"],
  ["context", "VARCHAR", "the context as rewritten by the system"],
  ["evidence", "JSON", "evidence of the evaluators"],
  ["grades", "JSON", "results of the graders"],
  ["output", "JSON", "the complete output, including the trajectory of an agent"],
];

const USAGE_COLUMNS: readonly ViewColumn[] = [
  RUN_COLUMN,
  CREATED_COLUMN,
  ["system", "VARCHAR", "the system"],
  ["model", "VARCHAR", "the model it called"],
  ["dataset", "VARCHAR", "the dataset of the example"],
  ["example_id", "VARCHAR", "the example"],
  ["trial", "BIGINT", "the trial number of the example, from 0"],
  ["class", "VARCHAR", "input, output, cache_read, cache_write or reasoning, which is part of output"],
  ["tokens", "BIGINT", "number of tokens, as reported by the provider"],
  [
    "cost_usd",
    "DOUBLE",
    "at the price stored with the run; NULL without one, and for reasoning, which is part of output",
  ],
];

const SUMMARY_COLUMNS: readonly ViewColumn[] = [
  RUN_COLUMN,
  CREATED_COLUMN,
  ["system", "VARCHAR", "the system; NULL for figures of all systems together"],
  ["metric", "VARCHAR", "the key of the figure, such as pass_rate"],
  ["value", "DOUBLE", "the value; NULL if undefined or n is 0"],
  ["ci_low", "DOUBLE", "lower end of its 95 % interval"],
  ["ci_high", "DOUBLE", "upper end of its 95 % interval"],
  ["n", "BIGINT", "number of tasks behind it"],
  ["reason", "VARCHAR", "why the value, or an end of its interval, is NULL"],
];

/** Every view with its columns, as shown by `assay query --schema` and docs/guides/history.md. */
export const VIEWS: Readonly<Record<ViewName, ViewDescription>> = {
  runs: { about: "one row per run", columns: RUN_COLUMNS },
  rows: { about: "one row per finished trial: the last one if a trial was run again", columns: ROW_COLUMNS },
  trials: {
    about: "rows with question, output and evidence",
    columns: [...ROW_COLUMNS, ...EXTRA_TRIAL_COLUMNS],
  },
  usage: { about: "one row per trial and reported token class", columns: USAGE_COLUMNS },
  summary: { about: "one row per run, system and figure, from the summary of the run", columns: SUMMARY_COLUMNS },
};

/** Example statements. */
export const EXAMPLE_STATEMENTS: readonly string[] = [
  "select run, status, cost_usd from runs order by created_at desc limit 10",
  "select created_at, system, value, ci_low, ci_high from summary where metric = 'pass_rate' order by system, created_at",
  "select system, error_category, count(*) as trials, sum(cost_usd) as cost_usd from rows group by all order by trials desc",
];

/** SQL with the columns of a view and no rows. */
export function buildEmptyView(name: ViewName): string {
  const columns = VIEWS[name].columns.map(([column, type]) => `cast(null as ${type}) as "${column}"`);
  return `select ${columns.join(", ")} where false`;
}

/** A longer type would push the description out of sight. */
const MAX_TYPE_WIDTH = 24;

/** The views with their columns and a few statements, for display. */
export function formatSchema(): string {
  const views = VIEW_NAMES.map(formatView).join("\n\n");
  const statements = EXAMPLE_STATEMENTS.map((statement) => `  assay query "${statement}"`).join("\n");
  return `${views}\n\nExamples:\n${statements}\n`;
}

function formatView(name: ViewName): string {
  const { about, columns } = VIEWS[name];
  const widest = Math.max(...columns.map(([column]) => column.length));
  const lines = columns.map(
    ([column, type, holds]) => `  ${column.padEnd(widest)}  ${type.padEnd(MAX_TYPE_WIDTH)}  ${holds}`,
  );
  return [`${name}: ${about}`, ...lines].join("\n");
}
