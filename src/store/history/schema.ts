/** The columns of `rows`: the fields of a row in snake_case, and where it is from. `group` is a word of SQL, hence `group_id`. */
export const ROW_COLUMNS: readonly Column[] = [
  ["run", "VARCHAR", "the name of the run folder"],
  ["created_at", "TIMESTAMP", "when the run was started, in UTC"],
  ["system", "VARCHAR", "the system"],
  ["dataset", "VARCHAR", "the dataset of the example"],
  ["example_id", "VARCHAR", "the example; numbers as text"],
  ["trial", "BIGINT", "which trial of the example, counted from 0"],
  ["outcome", "VARCHAR", "pass, fail, error, unscored or skipped"],
  ["error_category", "VARCHAR", "what went wrong; none when nothing did"],
  ["score", "DOUBLE", "the primary score"],
  ["scores", "MAP(VARCHAR, DOUBLE)", "all scores: scores['f1']"],
  ["measures", "MAP(VARCHAR, DOUBLE)", "figures that decide nothing: measures['characters']"],
  ["primary_field", "VARCHAR", "the score that decided pass or fail"],
  ["passed", "BOOLEAN", "NULL when nothing could decide"],
  ["input_tokens", "BIGINT", "tokens of the text that the system was given"],
  ["output_tokens", "BIGINT", "tokens of what it produced"],
  [
    "usage",
    'STRUCT("input" BIGINT, "output" BIGINT, cache_read BIGINT, cache_write BIGINT, cache_write_1h BIGINT, reasoning BIGINT)',
    "tokens as billed: usage.input; NULL when nobody reported them",
  ],
  ["cost_usd", "DOUBLE", "what the trial cost; NULL when it is not known"],
  ["cost_source", "VARCHAR", "provider, priced, estimated or unknown"],
  ["overshoot_usd", "DOUBLE", "by how much it cost more than it was allowed"],
  ["judge_cost_usd", "DOUBLE", "what scoring cost, which is no part of cost_usd"],
  ["partial", "BOOLEAN", "usage or cost is known to be incomplete"],
  ["cached", "BOOLEAN", "the output was there already"],
  ["latency", "DOUBLE", "seconds inside the system"],
  ["duration_ms", "DOUBLE", "from admission to the end of the work, retries included"],
  ["ttft_ms", "DOUBLE", "until the first token"],
  ["first_attempt_ms", "DOUBLE", "until the first edit, else the first text"],
  ["success_at_ms", "DOUBLE", "until the graders passed it; NULL when not measured"],
  ["turns", "BIGINT", "turns taken"],
  ["tokens_per_sec", "DOUBLE", "output tokens for each second of generation"],
  ["cost_killed_at", "DOUBLE", "running cost when it was stopped for its cost; 0 when it was not"],
  [
    "attempts",
    "STRUCT(error_category VARCHAR, message VARCHAR, duration_ms DOUBLE)[]",
    "calls that failed before the output came",
  ],
  ["notes", "VARCHAR[]", "what else is to be said about it"],
  ["metadata", "JSON", "what the system had to add: metadata->>'model'"],
  ["facets", "JSON", "what results are broken down by: facets->>'subject'"],
  ["group_id", "VARCHAR", "what the example shares with others"],
];

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

/** A long type would push what the column holds out of sight. */
const WIDEST_TYPE = 24;

/** The views with their columns and a few statements, for people. */
export function schemaText(): string {
  const views = VIEW_NAMES.map(viewText).join("\n\n");
  const statements = EXAMPLE_STATEMENTS.map((statement) => `  assay query "${statement}"`).join("\n");
  return `${views}\n\nExamples:\n${statements}\n`;
}

function viewText(name: ViewName): string {
  const { about, columns } = VIEWS[name];
  const widest = Math.max(...columns.map(([column]) => column.length));
  const lines = columns.map(
    ([column, type, holds]) => `  ${column.padEnd(widest)}  ${type.padEnd(WIDEST_TYPE)}  ${holds}`,
  );
  return [`${name}: ${about}`, ...lines].join("\n");
}
