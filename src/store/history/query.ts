import type { DuckDBMaterializedResult, DuckDBResult } from "@duckdb/node-api";
import { UsageError } from "../../core/errors.js";
import type { Database } from "./database.js";
import { History } from "./history.js";
import { type JsonValue, jsonConverter } from "./json-values.js";
import { QueryStopped } from "./query-stopped.js";
import { VIEW_NAMES, type ViewName } from "./schema.js";
import { sqlError } from "./sql-error.js";
import { storedRuns } from "./stored-runs.js";

/** Options of `queryRuns`. */
export interface QueryOptions {
  /** The folder that holds the run folders. */
  readonly runsDir: string;
  /** One read-only statement; see docs/history.md for the views. */
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
export interface AnswerLines {
  readonly columns: readonly QueryColumn[];
  readonly pieces: () => AsyncGenerator<readonly QueryRow[]>;
}

/** A query result with its number of rows. */
export interface Answer extends AnswerLines {
  readonly count: number;
  readonly notes: readonly string[];
}

/** Runs a query and passes its result to `use` while the database is open. */
export async function withAnswer<T>(
  { runsDir, sql, signal }: QueryOptions,
  use: (answer: Answer) => Promise<T>,
): Promise<T> {
  requireReading(sql);
  const { runs, notes } = storedRuns(runsDir);
  const history = await History.open({ runs, views: viewsIn(sql), signal });
  try {
    const result = await ask(history, sql);
    const answer = await answerOf(result, [...notes, ...history.notes]);
    return await use({ ...answer, pieces: () => untilStopped(answer.pieces(), signal) });
  } finally {
    history.close();
  }
}

async function ask({ database }: History, sql: string): Promise<DuckDBMaterializedResult> {
  try {
    const statement = await preparedReading(database, sql);
    return await database.stoppable(() => statement.run());
  } catch (error) {
    throw sqlError(error, sql);
  }
}

/** Reading a long result can be stopped too. */
async function* untilStopped<T>(pieces: AsyncGenerator<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const piece of pieces) {
    if (signal?.aborted === true) throw new QueryStopped();
    yield piece;
  }
}

/** The result is complete before its first row is returned: a late error must not leave half a file. */
async function answerOf(result: DuckDBMaterializedResult, notes: readonly string[]): Promise<Answer> {
  return { ...(await linesOf(result)), count: result.rowCount, notes };
}

/** The rows of a result as JSON values. */
export async function linesOf(result: DuckDBResult): Promise<AnswerLines> {
  const { DuckDBTypeId } = await import("@duckdb/node-api");
  const convert = jsonConverter(DuckDBTypeId);
  const [names, types] = [result.deduplicatedColumnNames(), result.columnTypes()];
  const columns = names.map((name, i) => ({ name, type: typeName(types[i]) }));
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

function typeName(type: { alias?: string | undefined; toString(): string } | undefined): string {
  return type?.alias ?? String(type);
}

/** First words of read-only statements. */
const READING = [
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

const LEADING = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\()+/;
const EXPLAIN = /^explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?/i;

const ALLOWED =
  "Queries are read-only: begin with select, with, from, describe, summarize, show or explain. A query changes nothing and reads no other files.";

/** Rejects statements that are not read-only before anything is opened. */
function requireReading(sql: string): void {
  const bare = withoutLead(sql).replace(/;\s*$/, "");
  if (bare === "") throw new UsageError(`The statement is empty. ${ALLOWED}`);
  const word = firstWord(bare);
  const explained = EXPLAIN.test(bare) ? firstWord(withoutLead(bare.replace(EXPLAIN, ""))) : word;
  if (READING.includes(explained)) return;
  throw new UsageError(`A query cannot begin with "${explained || bare.slice(0, 10)}". ${ALLOWED}`);
}

function withoutLead(sql: string): string {
  return sql.replace(LEADING, "");
}

function firstWord(sql: string): string {
  return /^\w+/.exec(sql)?.[0].toLowerCase() ?? "";
}

/**
 * The views that a statement may read: those it names, or all if names may be composed at run time. Statements that only
 * ask for columns read none.
 */
function viewsIn(sql: string): Set<ViewName> {
  if (/^(?:desc|describe|show)$/.test(firstWord(withoutLead(sql)))) return new Set();
  const isComposed = /\bquery(?:_table)?\b/i.test(sql);
  return new Set(VIEW_NAMES.filter((name) => isComposed || new RegExp(`\\b${name}\\b`, "i").test(sql)));
}

/** Prepares the single statement of a text, if it is read-only. */
async function preparedReading(database: Database, sql: string) {
  requireReading(sql);
  const { SELECT, EXPLAIN: EXPLAINS } = (await import("@duckdb/node-api")).StatementType;
  const { count, statement } = await database.prepare(sql);
  if (count > 1)
    throw new UsageError(
      "A query must be one statement. Run them one by one; a PIVOT needs its values written out: PIVOT … ON system IN ('a', 'b').",
    );
  const { statementType } = statement;
  if (statementType === EXPLAINS) await requireSelect(database, withoutLead(sql).replace(EXPLAIN, ""), SELECT);
  else if (statementType !== SELECT) throw new UsageError(ALLOWED);
  if (statement.parameterCount > 0)
    throw new UsageError("The statement has a parameter ($1 or ?) without a value. Write the value itself.");
  return statement;
}

/** EXPLAIN ANALYZE executes its statement, so that must be read-only too. */
async function requireSelect(database: Database, sql: string, select: number): Promise<void> {
  const { statement } = await database.prepare(sql);
  if (statement.statementType !== select) throw new UsageError(ALLOWED);
}
