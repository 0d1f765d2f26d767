import { availableParallelism } from "node:os";
import type {
  DuckDBConnection,
  DuckDBInstance,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBResult,
} from "@duckdb/node-api";
import { messageOf } from "../../core/errors.js";
import { QueryStopped } from "./query-stopped.js";
import { quotedList } from "./sql-error.js";

/** What a query may hold in memory; more goes to the scratch folder. */
const MEMORY = "2GB";
/** Each thread has buffers of its own: with many cores they alone would fill the memory. */
const MOST_THREADS = 8;

export interface DatabaseOptions {
  /** Where what does not fit in memory goes. */
  readonly scratchDir: string;
  readonly signal?: AbortSignal | undefined;
}

/** An empty DuckDB in memory, loaded when it is first needed. */
export class Database {
  /** Where files may be set aside until it is closed. */
  readonly scratchDir: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = () => this.#connection.interrupt();

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, { scratchDir, signal }: DatabaseOptions) {
    this.scratchDir = scratchDir;
    this.#instance = instance;
    this.#connection = connection;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#stop);
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: MEMORY,
      threads: String(Math.min(availableParallelism(), MOST_THREADS)),
      temp_directory: options.scratchDir,
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      errors_as_json: "true",
    });
    return new Database(instance, await instance.connect(), options);
  }

  /** Runs statements of ours. */
  run(sql: string): Promise<DuckDBMaterializedResult> {
    return this.stoppable(() => this.#connection.run(sql));
  }

  /** Runs a statement of ours whose answer is not held: its lines are worked out as they are taken. */
  stream(sql: string): Promise<DuckDBResult> {
    return this.stoppable(() => this.#connection.stream(sql));
  }

  /** The only statement of a text, and how many there are. */
  async prepare(sql: string): Promise<{ count: number; statement: DuckDBPreparedStatement }> {
    const extracted = await this.#connection.extractStatements(sql);
    return { count: extracted.count, statement: await extracted.prepare(0) };
  }

  /** Leaves these files as all that a statement can reach, for good: no other file, no network, no setting. */
  async lock(paths: readonly string[]): Promise<void> {
    await this.run(`set allowed_paths = ${quotedList(paths)}`);
    await this.run("set enable_external_access = false");
    await this.run("set lock_configuration = true");
  }

  /** Does work that the signal can stop. */
  async stoppable<T>(work: () => Promise<T>): Promise<T> {
    if (this.#signal?.aborted === true) throw new QueryStopped();
    try {
      return await work();
    } catch (error) {
      throw /\bINTERRUPT\b|Interrupted!/.test(messageOf(error)) ? new QueryStopped() : error;
    }
  }

  close(): void {
    this.#signal?.removeEventListener("abort", this.#stop);
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
