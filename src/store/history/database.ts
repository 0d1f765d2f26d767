import { availableParallelism } from "node:os";
import type {
  DuckDBConnection,
  DuckDBInstance,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBResult,
} from "@duckdb/node-api";
import { getErrorMessage } from "../../core/index.js";
import { QueryStopped } from "./query-stopped.js";
import { quoteSqlList } from "./sql-error.js";

/** Memory limit of a query; the rest goes to the scratch folder. */
const MEMORY_LIMIT = "2GB";
/** Each thread has its own buffers: with many cores they alone would fill the memory. */
const MAX_THREADS = 8;

export interface QueryDatabaseOptions {
  /** For data that does not fit in memory. */
  readonly scratchDir: string;
  readonly signal?: AbortSignal | undefined;
}

/** An in-memory DuckDB, loaded on first use. */
export class QueryDatabase {
  /** For temporary files until the database is closed. */
  readonly scratchDir: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = () => this.#connection.interrupt();

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    { scratchDir, signal }: QueryDatabaseOptions,
  ) {
    this.scratchDir = scratchDir;
    this.#instance = instance;
    this.#connection = connection;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#stop);
  }

  static async open(options: QueryDatabaseOptions): Promise<QueryDatabase> {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: MEMORY_LIMIT,
      threads: String(Math.min(availableParallelism(), MAX_THREADS)),
      temp_directory: options.scratchDir,
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      errors_as_json: "true",
    });
    return new QueryDatabase(instance, await instance.connect(), options);
  }

  /** Runs one of our own statements. */
  run(sql: string): Promise<DuckDBMaterializedResult> {
    return this.runStoppable(() => this.#connection.run(sql));
  }

  /** Runs one of our own statements and streams its rows instead of holding them. */
  stream(sql: string): Promise<DuckDBResult> {
    return this.runStoppable(() => this.#connection.stream(sql));
  }

  /** Prepares a statement, and returns how many the text contains. */
  async prepare(sql: string): Promise<{ count: number; statement: DuckDBPreparedStatement }> {
    const extracted = await this.#connection.extractStatements(sql);
    return { count: extracted.count, statement: await extracted.prepare(0) };
  }

  /** Permanently restricts statements to these files: no other file, no network, no setting. */
  async lock(paths: readonly string[]): Promise<void> {
    await this.run(`set allowed_paths = ${quoteSqlList(paths)}`);
    await this.run("set enable_external_access = false");
    await this.run("set lock_configuration = true");
  }

  /** Runs work that the signal can stop. */
  async runStoppable<T>(work: () => Promise<T>): Promise<T> {
    if (this.#signal?.aborted === true) throw new QueryStopped();
    try {
      return await work();
    } catch (error) {
      throw /\bINTERRUPT\b|Interrupted!/.test(getErrorMessage(error)) ? new QueryStopped() : error;
    }
  }

  close(): void {
    this.#signal?.removeEventListener("abort", this.#stop);
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
