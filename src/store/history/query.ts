import type { DuckDBMaterializedResult, DuckDBResult } from "@duckdb/node-api";
import { History } from "./history.js";
import { type JsonValue, jsonConverter } from "./json-values.js";
import { QueryStopped } from "./query-stopped.js";
import { sqlError } from "./sql-error.js";
import { preparedReading, requireReading, viewsIn } from "./statement.js";
import { storedRuns } from "./stored-runs.js";

export interface QueryOptions {
  /** The folder that holds the run folders. */
  readonly runsDir: string;
  /** One statement that reads; see docs/history.md for the views. */
  readonly sql: string;
  /** Stops the query. */
  readonly signal?: AbortSignal;
}

export interface QueryColumn {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
}

/** A line of an answer, by the names of its columns. */
export type QueryRow = Readonly<Record<string, JsonValue>>;

/** What a query found. */
export interface QueryResult {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly QueryRow[];
  /** What was left out, such as a damaged run. */
  readonly notes: readonly string[];
}

/** Lines that are taken piece by piece. */
export interface AnswerLines {
  readonly columns: readonly QueryColumn[];
  readonly pieces: () => AsyncGenerator<readonly QueryRow[]>;
}

/** An answer, with how many lines it has. */
export interface Answer extends AnswerLines {
  readonly count: number;
  readonly notes: readonly string[];
}

/** Asks, and has something done with the answer while it is there. */
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

/** A long answer can be stopped as well as a long question. */
async function* untilStopped<T>(pieces: AsyncGenerator<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const piece of pieces) {
    if (signal?.aborted === true) throw new QueryStopped();
    yield piece;
  }
}

/** An answer is whole before its first line is given: what goes wrong half-way must not leave half a file. */
async function answerOf(result: DuckDBMaterializedResult, notes: readonly string[]): Promise<Answer> {
  return { ...(await linesOf(result)), count: result.rowCount, notes };
}

/** The lines of a result, as what JSON can hold. */
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
