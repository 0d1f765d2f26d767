import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Database } from "./database.js";
import { fillTable } from "./fill-table.js";
import { type LineFile, lineFiles } from "./line-files.js";
import { type Lines, lineSource } from "./line-source.js";
import { outputSource } from "./output-files.js";
import { EXAMPLE_LINES, OUTPUT_LINES } from "./output-lines.js";
import { ROW_LINES } from "./row-lines.js";
import { runsTable } from "./runs-table.js";
import { emptyShape, VIEW_NAMES, VIEWS, type ViewName } from "./schema.js";
import type { StoredRun } from "./stored-runs.js";
import { summaryTable } from "./summary-table.js";
import { SYSTEM_COLUMNS, systemPrices } from "./system-prices.js";
import { exampleLinesSql, outputLinesSql, rowLinesSql, trialsSql, usageSql } from "./view-sql.js";

const FILE_COLUMNS = { path: "VARCHAR", run: "VARCHAR", dir: "VARCHAR", created_at: "TIMESTAMP" };

export interface HistoryOptions {
  readonly runs: readonly StoredRun[];
  /** The views that are asked; all others are there, and empty. */
  readonly views: ReadonlySet<ViewName>;
  readonly signal?: AbortSignal | undefined;
  /** A file that may be written, for an export. */
  readonly mayWrite?: string;
}

/** Stored runs as views of a database in memory, which reaches their files and nothing else. */
export class History {
  readonly database: Database;
  /** What was left out, for the reader. */
  readonly notes: string[] = [];
  readonly #runs: readonly StoredRun[];
  readonly #scratchDir: string;
  readonly #paths: string[] = [];

  private constructor(database: Database, runs: readonly StoredRun[], scratchDir: string) {
    this.database = database;
    this.#runs = runs;
    this.#scratchDir = scratchDir;
    // A reader that closes the pipe ends the process, and nothing is closed then.
    process.once("exit", this.#clear);
  }

  readonly #clear = (): void => rmSync(this.#scratchDir, { recursive: true, force: true });

  static async open({ runs, views, signal, mayWrite }: HistoryOptions): Promise<History> {
    const scratchDir = mkdtempSync(join(tmpdir(), "assay-query-"));
    const history = new History(await Database.open({ scratchDir, signal }), runs, scratchDir);
    try {
      await history.#makeViews(views);
      await history.database.lock([...history.#paths, ...(mayWrite === undefined ? [] : [mayWrite])]);
      return history;
    } catch (error) {
      history.close();
      throw error;
    }
  }

  close(): void {
    this.database.close();
    process.off("exit", this.#clear);
    this.#clear();
  }

  async #makeViews(views: ReadonlySet<ViewName>): Promise<void> {
    await this.database.run("create schema stored");
    if (views.has("runs")) await this.#fill("runs", runsTable(this.#runs));
    if (views.has("summary")) await this.#fill("summary", summaryTable(this.#runs));
    const hasRows = views.has("rows") || views.has("trials") || views.has("usage");
    if (hasRows && (await this.#makeRows())) await this.#makeRowViews(views);
    for (const name of VIEW_NAMES) await this.database.run(`create view if not exists ${name} as ${emptyShape(name)}`);
  }

  async #makeRowViews(views: ReadonlySet<ViewName>): Promise<void> {
    if (views.has("rows")) await this.#view("rows", "select * exclude (example_key) from stored.row_lines");
    if (views.has("trials")) await this.#makeTrials();
    if (views.has("usage")) await this.#makeUsage();
  }

  async #makeRows(): Promise<boolean> {
    const lines = await this.#lines(ROW_LINES);
    if (lines !== null) await this.#view("stored.row_lines", rowLinesSql(lines));
    return lines !== null;
  }

  async #makeTrials(): Promise<void> {
    const large = await outputSource(this.database, this.#runs);
    this.notes.push(...large.notes);
    this.#paths.push(...large.paths);
    const outputs = (await this.#lines(OUTPUT_LINES)) ?? nothing(OUTPUT_LINES);
    await this.#view("stored.output_lines", outputLinesSql(outputs, large.sql));
    const examples = (await this.#lines(EXAMPLE_LINES)) ?? nothing(EXAMPLE_LINES);
    await this.#view("stored.example_lines", exampleLinesSql(examples));
    await this.#view("trials", trialsSql());
  }

  async #makeUsage(): Promise<void> {
    await fillTable(this.database, "stored.systems", { columns: SYSTEM_COLUMNS, lines: systemPrices(this.#runs) });
    await this.#view("usage", usageSql());
  }

  /** SQL over the files of one name in all runs; null when no run has any. */
  async #lines(lines: Omit<Lines, "files">): Promise<string | null> {
    const found = lineFiles(this.#runs, lines.name, this.#scratchDir);
    const { sql, files, notes } = await lineSource(this.database, { ...lines, files: found.files });
    this.notes.push(...found.notes, ...notes);
    await this.#allow(files);
    return sql;
  }

  async #allow(files: readonly LineFile[]): Promise<void> {
    this.#paths.push(...files.map(({ path }) => path));
    const runs = new Map(this.#runs.map((run) => [run.run, run]));
    const lines = files.map(({ run, path }) => {
      const { dir = dirname(path), manifest } = runs.get(run) ?? {};
      return { path, run, dir, created_at: manifest?.createdAt ?? null };
    });
    await fillTable(this.database, "stored.files", { columns: FILE_COLUMNS, lines });
  }

  async #fill(name: ViewName, lines: Iterable<Record<string, unknown>>): Promise<void> {
    const columns = Object.fromEntries(VIEWS[name].columns.map(([column, type]) => [column, type]));
    await fillTable(this.database, `stored.${name}`, { columns, lines });
    await this.#view(name, `select * from stored.${name}`);
  }

  async #view(name: string, sql: string): Promise<void> {
    await this.database.run(`create view ${name} as ${sql}`);
  }
}

/** SQL with the fields of lines, and none of them. */
function nothing({ columns }: Omit<Lines, "files">): string {
  const fields = Object.entries({ ...columns, from_file: "VARCHAR" });
  return `select ${fields.map(([name, type]) => `cast(null as ${type}) as "${name}"`).join(", ")} where false`;
}
