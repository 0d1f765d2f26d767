import type { DuckDBMaterializedResult, DuckDBResult } from "@duckdb/node-api";
import { UsageError } from "../../core/index.js";
import type { QueryDatabase } from "./database.js";
import { RunHistory } from "./history.js";
import { createJsonConverter, type JsonValue } from "./json-values.js";
import { QueryStopped } from "./query-stopped.js";
import { VIEW_NAMES, type ViewName } from "./schema.js";
import { toSqlError } from "./sql-error.js";
import { listStoredRuns } from "./stored-runs.js";

/** Options of `queryRuns`. */
export interface QueryOptions {
  /** The folder that holds the run folders. */
  readonly runsDir: string;
  /** One read-only statement; see docs/guides/history.md for the views. */
  readonly sql: string;
  /** Stops the query. */
  readonly signal?: AbortSignal;
}

/** A column of a query result. */
export interface QueryColumn {
  readonly name: string;
  /** The DuckDB type. */
  readonly type: string;
}

/** A row of a query result, by column name. */
export type QueryRow = Readonly<Record<string, JsonValue>>;

/** The result of a query. */
export interface QueryResult {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly QueryRow[];
  /** What was left out, such as a damaged run. */
  readonly notes: readonly string[];
}

/** Rows that are streamed in chunks. */
export interface QueryRowStream {
  readonly columns: readonly QueryColumn[];
  readonly pieces: () => AsyncGenerator<readonly QueryRow[]>;
}

/** A query result with its number of rows. */
export interface QueryAnswer extends QueryRowStream {
  readonly count: number;
  readonly notes: readonly string[];
}

/** Runs a query and passes its result to `use` while the database is open. */
export async function runQuery<T>(
  { runsDir, sql, signal }: QueryOptions,
  use: (answer: QueryAnswer) => Promise<T>,
): Promise<T> {
  requireReadStatement(sql);
  const { runs, notes } = listStoredRuns(runsDir);
  const history = await RunHistory.open({ runs, views: findViews(sql), signal });
  try {
    const result = await executeStatement(history, sql);
    const answer = await toQueryAnswer(result, [...notes, ...history.notes]);
    return await use({ ...answer, pieces: () => streamUntilStopped(answer.pieces(), signal) });
  } finally {
    history.close();
  }
}

async function executeStatement({ database }: RunHistory, sql: string): Promise<DuckDBMaterializedResult> {
  try {
    const statement = await prepareReadStatement(database, sql);
    return await database.runStoppable(() => statement.run());
  } catch (error) {
    throw toSqlError(error, sql);
  }
}

/** Reading a long result can be stopped too. */
async function* streamUntilStopped<T>(pieces: AsyncGenerator<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const piece of pieces) {
    if (signal?.aborted === true) throw new QueryStopped();
    yield piece;
  }
}

/** The result is complete before its first row is returned: a late error must not leave half a file. */
async function toQueryAnswer(result: DuckDBMaterializedResult, notes: readonly string[]): Promise<QueryAnswer> {
  return { ...(await streamQueryRows(result)), count: result.rowCount, notes };
}

/** The rows of a result as JSON values. */
export async function streamQueryRows(result: DuckDBResult): Promise<QueryRowStream> {
  const { DuckDBTypeId } = await import("@duckdb/node-api");
  const convert = createJsonConverter(DuckDBTypeId);
  const [names, types] = [result.deduplicatedColumnNames(), result.columnTypes()];
  const columns = names.map((name, i) => ({ name, type: formatTypeName(types[i]) }));
  async function* pieces(): AsyncGenerator<readonly QueryRow[]> {
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const values = types.map((type, column) => chunk.getColumnValues(column).map((value) => convert(value, type)));
      const rowOf = (row: number): QueryRow =>
        Object.fromEntries(names.map((name, column) => [name, values[column]?.[row] ?? null]));
      yield Array.from({ length: chunk.rowCount }, (_, row) => rowOf(row));
    }
  }
  return { columns, pieces };
}

function formatTypeName(type: { alias?: string | undefined; toString(): string } | undefined): string {
  return type?.alias ?? String(type);
}

/** First words of read-only statements. */
const READING_KEYWORDS = [
  "select",
  "with",
  "from",
  "values",
  "describe",
  "desc",
  "summarize",
  "show",
  "pivot",
  "unpivot",
  "table",
];

const LEADING_TRIVIA = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\()+/;
const EXPLAIN_PREFIX = /^explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?/i;

const READ_ONLY_HELP =
  "Queries are read-only: begin with select, with, from, describe, summarize, show or explain. A query changes nothing and reads no other files.";

/** Rejects statements that are not read-only before anything is opened. */
function requireReadStatement(sql: string): void {
  const bare = stripLeadingTrivia(sql).replace(/;\s*$/, "");
  if (bare === "") throw new UsageError(`The statement is empty. ${READ_ONLY_HELP}`);
  const word = readFirstWord(bare);
  const explained = EXPLAIN_PREFIX.test(bare)
    ? readFirstWord(stripLeadingTrivia(bare.replace(EXPLAIN_PREFIX, "")))
    : word;
  if (READING_KEYWORDS.includes(explained)) return;
  throw new UsageError(`A query cannot begin with "${explained || bare.slice(0, 10)}". ${READ_ONLY_HELP}`);
}

function stripLeadingTrivia(sql: string): string {
  return sql.replace(LEADING_TRIVIA, "");
}

function readFirstWord(sql: string): string {
  return /^\w+/.exec(sql)?.[0].toLowerCase() ?? "";
}

/**
 * The views that a statement may read: those it names, or all if names may be composed at run time. Statements that only
 * ask for columns read none.
 */
function findViews(sql: string): Set<ViewName> {
  if (/^(?:desc|describe|show)$/.test(readFirstWord(stripLeadingTrivia(sql)))) return new Set();
  const isComposed = /\bquery(?:_table)?\b/i.test(sql);
  return new Set(VIEW_NAMES.filter((name) => isComposed || new RegExp(`\\b${name}\\b`, "i").test(sql)));
}

/** Prepares the single statement of a text, if it is read-only. */
async function prepareReadStatement(database: QueryDatabase, sql: string) {
  requireReadStatement(sql);
  const { SELECT, EXPLAIN: EXPLAINS } = (await import("@duckdb/node-api")).StatementType;
  const { count, statement } = await database.prepare(sql);
  if (count > 1)
    throw new UsageError(
      "A query must be one statement. Run them one by one; a PIVOT needs its values written out: PIVOT … ON system IN ('a', 'b').",
    );
  const { statementType } = statement;
  if (statementType === EXPLAINS)
    await requireSelectStatement(database, stripLeadingTrivia(sql).replace(EXPLAIN_PREFIX, ""), SELECT);
  else if (statementType !== SELECT) throw new UsageError(READ_ONLY_HELP);
  if (statement.parameterCount > 0)
    throw new UsageError("The statement has a parameter ($1 or ?) without a value. Write the value itself.");
  return statement;
}

/** EXPLAIN ANALYZE executes its statement, so that must be read-only too. */
async function requireSelectStatement(database: QueryDatabase, sql: string, select: number): Promise<void> {
  const { statement } = await database.prepare(sql);
  if (statement.statementType !== select) throw new UsageError(READ_ONLY_HELP);
}
