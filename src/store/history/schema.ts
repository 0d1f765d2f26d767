import { ROW_COLUMNS } from "./row-columns.js";

/** The views that a statement can ask. */
export const VIEW_NAMES = ["runs", "rows", "trials", "usage", "summary"] as const;

export type ViewName = (typeof VIEW_NAMES)[number];

/** One column of a view: its name, its type as DuckDB writes it, and what it holds. */
export type Column = readonly [name: string, type: string, about: string];

/** What is documented about a view. */
export interface View {
  readonly about: string;
  readonly columns: readonly Column[];
}

const RUN: Column = ["run", "VARCHAR", "the name of the run folder"];
const CREATED: Column = ["created_at", "TIMESTAMP", "when the run was started, in UTC"];

const RUN_COLUMNS: readonly Column[] = [
  RUN,
  ["title", "VARCHAR", "what the run is called"],
  ["command", "VARCHAR", "the command that made it; NULL for a program"],
  ["status", "VARCHAR", "complete, incomplete or running"],
  CREATED,
  ["git_revision", "VARCHAR", "the commit that the working folder stood at"],
  ["assay_version", "VARCHAR", "the version that made it"],
  ["planned", "BIGINT", "trials that were planned"],
  ["done", "BIGINT", "planned trials that have a row, by the summary; NULL without one"],
  ["trials", "BIGINT", "trials of each example"],
  ["threshold", "DOUBLE", "the primary score from which a trial passes"],
  ["seed", "BIGINT", "the seed of the run"],
  ["datasets", "VARCHAR[]", "the names of its datasets"],
  ["systems", "VARCHAR[]", "the names of its systems"],
  ["cost_usd", "DOUBLE", "what all its trials cost, by the summary; NULL where that does not tell"],
  ["wall_seconds", "DOUBLE", "how long it took; NULL when it never came to an end"],
  ["parent", "VARCHAR", "the run whose outputs were graded again"],
];

/** What `trials` has besides the columns of `rows`. */
export const TRIAL_COLUMNS_BESIDE_ROWS: readonly Column[] = [
  ["question", "VARCHAR", "what was asked, where the run keeps it"],
  ["answer", "VARCHAR", "what would be right; the first of several"],
  ["response", "VARCHAR", "what the system answered"],
  ["context", "VARCHAR", "the context as the system rewrote it"],
  ["evidence", "JSON", "what evaluators have to show for their scores"],
  ["grades", "JSON", "what graders said"],
  ["output", "JSON", "everything the system returned, the trajectory of an agent included"],
];

const USAGE_COLUMNS: readonly Column[] = [
  RUN,
  CREATED,
  ["system", "VARCHAR", "the system"],
  ["model", "VARCHAR", "the model it called"],
  ["dataset", "VARCHAR", "the dataset of the example"],
  ["example_id", "VARCHAR", "the example"],
  ["trial", "BIGINT", "which trial of the example, counted from 0"],
  ["class", "VARCHAR", "input, output, cache_read, cache_write or reasoning, which is a part of output"],
  ["tokens", "BIGINT", "how many, as the provider reported them"],
  ["cost_usd", "DOUBLE", "by the price that the run kept; NULL without one, and for reasoning: output has it"],
];

const SUMMARY_COLUMNS: readonly Column[] = [
  RUN,
  CREATED,
  ["system", "VARCHAR", "the system; NULL for figures of all systems together"],
  ["metric", "VARCHAR", "the key of the figure, such as pass_rate"],
  ["value", "DOUBLE", "the figure; NULL when it is undefined or n is 0"],
  ["ci_low", "DOUBLE", "the lower end of its 95 % interval"],
  ["ci_high", "DOUBLE", "the upper end"],
  ["n", "BIGINT", "tasks that stand behind it"],
  ["reason", "VARCHAR", "why the figure, or an end of its interval, is NULL"],
];

/** Every view with its columns, as `assay query --schema` and docs/history.md tell them. */
export const VIEWS: Readonly<Record<ViewName, View>> = {
  runs: { about: "one line a run", columns: RUN_COLUMNS },
  rows: { about: "one line a finished trial: the last one of a trial that was run again", columns: ROW_COLUMNS },
  trials: {
    about: "rows with what was asked, answered and found",
    columns: [...ROW_COLUMNS, ...TRIAL_COLUMNS_BESIDE_ROWS],
  },
  usage: { about: "one line a trial and class of tokens that was reported", columns: USAGE_COLUMNS },
  summary: { about: "one line a run, system and figure, as the summary of the run has them", columns: SUMMARY_COLUMNS },
};

/** Statements to begin with. */
export const EXAMPLE_STATEMENTS: readonly string[] = [
  "select run, status, cost_usd from runs order by created_at desc limit 10",
  "select created_at, system, value, ci_low, ci_high from summary where metric = 'pass_rate' order by system, created_at",
  "select system, error_category, count(*) as trials, sum(cost_usd) as cost_usd from rows group by all order by trials desc",
];

/** SQL that has the columns of a view and no line. */
export function emptyShape(name: ViewName): string {
  const columns = VIEWS[name].columns.map(([column, type]) => `cast(null as ${type}) as "${column}"`);
  return `select ${columns.join(", ")} where false`;
}
