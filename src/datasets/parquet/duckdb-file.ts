import { DuckDBInstance } from "@duckdb/node-api";

/** Writes Parquet files for tests, with any compression, nested types and row group sizes. */
export interface DuckDbWriter {
  /** Writes the rows of a query; `options` as in `COPY … TO … (FORMAT parquet, options)`. */
  write(path: string, query: string, options?: string): Promise<void>;
  run(statement: string): Promise<void>;
  close(): void;
}

/** Opens an in-memory database. */
export async function openDuckDb(): Promise<DuckDbWriter> {
  const database = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await database.connect();
  const run = async (statement: string) => {
    await connection.run(statement);
  };
  return {
    run,
    write: (path, query, options = "") =>
      run(`COPY (${query}) TO '${path}' (FORMAT parquet${options && `, ${options}`})`),
    close: () => {
      connection.closeSync();
      database.closeSync();
    },
  };
}
