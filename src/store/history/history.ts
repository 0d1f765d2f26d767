import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonSummary, Price, TokenPrices } from "../../core/index.js";
import { getOwn } from "../../core/index.js";
import { RUN_FILES } from "../journal.js";
import { readLabels } from "../labels.js";
import { isRunLocked } from "../lock.js";
import { countFinishedTrials, hasRunEnded, readSummary, type StoredSummary } from "../summary-file.js";
import { QueryDatabase } from "./database.js";
import { stringifyStrict } from "./json-values.js";
import { createLineSource, findLineFiles, type LineFile, type LineTable } from "./line-source.js";
import { buildRowSelection, EXAMPLE_TABLE, OUTPUT_TABLE, ROW_TABLE, TRIAL_KEY_SQL } from "./line-tables.js";
import { createOutputSource } from "./output-files.js";
import { buildEmptyView, EXTRA_TRIAL_COLUMNS, VIEW_NAMES, VIEWS, type ViewName } from "./schema.js";
import { quoteSql } from "./sql-error.js";
import type { StoredRun } from "./stored-runs.js";
import { createScratchPath, writePieces } from "./write-pieces.js";

const [, DATASET = "", KEY = "", TRIAL = ""] = TRIAL_KEY_SQL;

/** The columns of `rows`, plus `example_key`, which distinguishes `1` from `"1"`. */
function buildRowLinesSql(lines: string): string {
  return `select ${buildRowSelection()}, ${KEY} as example_key from (${lines}) l join stored.files f on f.path = l.from_file`;
}

/** The outputs by trial. Large ones are in separate files, which their lines name. */
function buildOutputLinesSql(lines: string, files: string): string {
  const side = "f.dir || '/' || replace(l.file, '\\', '/')";
  const said = ["output", "evidence", "grades"].map((name) => `coalesce(l.${name}, s.${name}) as ${name}`);
  return `select f.run, l.system, ${DATASET.replace("dataset", "l.dataset")} as dataset, l.${KEY} as example_key, ${TRIAL.replace("trial", "l.trial")} as trial, ${said.join(", ")} from (${lines}) l join stored.files f on f.path = l.from_file left join (${files}) s on s.path = ${side}`;
}

function buildExampleLinesSql(lines: string): string {
  return `select f.run, ${DATASET} as dataset, id as example_key, question, coalesce(answer, answers[1]) as answer from (${lines}) l join stored.files f on f.path = l.from_file`;
}

/** `trials`: rows with everything stored beside them. */
function buildTrialsSql(): string {
  const beside = EXTRA_TRIAL_COLUMNS.map(([name]) => `${COMPANION_COLUMNS[name] ?? `o.${name}`} as ${name}`);
  const same = (other: string, columns: readonly string[]) =>
    columns.map((column) => `r.${column} = ${other}.${column}`).join(" and ");
  const example = ["run", "dataset", "example_key"];
  return `select r.* exclude (example_key), ${beside.join(", ")} from stored.row_lines r left join stored.output_lines o on ${same("o", [...example, "system", "trial"])} left join stored.example_lines e on ${same("e", example)}`;
}

const COMPANION_COLUMNS: Readonly<Record<string, string>> = {
  question: "e.question",
  answer: "e.answer",
  response: "o.output->>'response'",
  context: "o.output->>'context'",
};

/** The cost of each class at price `p`, in pico-dollars. Reasoning is part of output and billed with it. */
const COST_SQL_BY_CLASS: Readonly<Record<string, string>> = {
  input: "usage.input * p.input",
  output: "usage.output * p.output",
  cache_read: "usage.cache_read * p.cache_read",
  cache_write:
    "(usage.cache_write - coalesce(usage.cache_write_1h, 0)) * p.cache_write + coalesce(usage.cache_write_1h, 0) * p.cache_write_1h",
  reasoning: "null::double",
};

/**
 * `usage`: one row per reported token class. If a price depends on the prompt length, the cost is known only for trials
 * of one call.
 */
function buildUsageSql(): string {
  const prompt = "r.usage.input + coalesce(r.usage.cache_read, 0) + coalesce(r.usage.cache_write, 0)";
  const price = `case when len(s.prices) = 1 or coalesce(r.turns, 1) <= 1 then list_filter(s.prices, lambda x: ${prompt} > x."over")[1] end`;
  const lines = Object.entries(COST_SQL_BY_CLASS).map(
    ([name, cost]) => `{'class': '${name}', 'tokens': usage.${name}, 'cost_usd': (${cost}) / 1e12}`,
  );
  const priced = `select r.run, r.created_at, r.system, coalesce(s.model, r.metadata->>'model') as model, r.dataset, r.example_id, r.trial, r.usage, ${price} as p from stored.row_lines r left join stored.systems s on s.run = r.run and s.system = r.system where r.usage is not null`;
  const unfolded = `select * exclude (usage, p), unnest([${lines.join(", ")}]) as u from (${priced})`;
  return `select * exclude (u), u.class as class, u.tokens as tokens, u.cost_usd as cost_usd from (${unfolded}) where u.tokens is not null`;
}

const FILE_COLUMNS = { path: "VARCHAR", run: "VARCHAR", dir: "VARCHAR", created_at: "TIMESTAMP" };

export interface RunHistoryOptions {
  readonly runs: readonly StoredRun[];
  /** The views that the query uses; all others exist but are empty. */
  readonly views: ReadonlySet<ViewName>;
  readonly signal?: AbortSignal | undefined;
  /** A file that may be written, for an export. */
  readonly mayWrite?: string;
}

/** Stored runs as views of an in-memory database that can only access their files. */
export class RunHistory {
  readonly database: QueryDatabase;
  /** Notes about what was left out. */
  readonly notes: string[] = [];
  readonly #runs: readonly StoredRun[];
  readonly #scratchDir: string;
  readonly #paths: string[] = [];

  private constructor(database: QueryDatabase, runs: readonly StoredRun[], scratchDir: string) {
    this.database = database;
    this.#runs = runs;
    this.#scratchDir = scratchDir;
    // A reader that closes the pipe ends the process without closing the database.
    process.once("exit", this.#clear);
  }

  readonly #clear = (): void => rmSync(this.#scratchDir, { recursive: true, force: true });

  static async open({ runs, views, signal, mayWrite }: RunHistoryOptions): Promise<RunHistory> {
    const scratchDir = mkdtempSync(join(tmpdir(), "assay-query-"));
    const history = new RunHistory(await QueryDatabase.open({ scratchDir, signal }), runs, scratchDir);
    try {
      await history.#createViews(views);
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

  async #createViews(views: ReadonlySet<ViewName>): Promise<void> {
    await this.database.run("create schema stored");
    if (views.has("runs")) await this.#fillView("runs", buildRunsTable(this.#runs));
    if (views.has("summary")) await this.#fillView("summary", streamSummaryTable(this.#runs));
    const hasRows = views.has("rows") || views.has("trials") || views.has("usage");
    if (hasRows && (await this.#createRows())) await this.#createRowViews(views);
    for (const name of VIEW_NAMES)
      await this.database.run(`create view if not exists ${name} as ${buildEmptyView(name)}`);
  }

  async #createRowViews(views: ReadonlySet<ViewName>): Promise<void> {
    if (views.has("rows")) await this.#createView("rows", "select * exclude (example_key) from stored.row_lines");
    if (views.has("trials")) await this.#createTrials();
    if (views.has("usage")) await this.#createUsage();
  }

  async #createRows(): Promise<boolean> {
    const lines = await this.#createLineSource(ROW_TABLE);
    if (lines !== null) await this.#createView("stored.row_lines", buildRowLinesSql(lines));
    return lines !== null;
  }

  async #createTrials(): Promise<void> {
    const large = await createOutputSource(this.database, this.#runs);
    this.notes.push(...large.notes);
    this.#paths.push(...large.paths);
    const outputs = (await this.#createLineSource(OUTPUT_TABLE)) ?? buildEmptySelect(OUTPUT_TABLE);
    await this.#createView("stored.output_lines", buildOutputLinesSql(outputs, large.sql));
    const examples = (await this.#createLineSource(EXAMPLE_TABLE)) ?? buildEmptySelect(EXAMPLE_TABLE);
    await this.#createView("stored.example_lines", buildExampleLinesSql(examples));
    await this.#createView("trials", buildTrialsSql());
  }

  async #createUsage(): Promise<void> {
    await fillQueryTable(this.database, "stored.systems", {
      columns: SYSTEM_COLUMNS,
      lines: listSystemPrices(this.#runs),
    });
    await this.#createView("usage", buildUsageSql());
  }

  /** SQL over the files of one name in all runs; null if no run has any. */
  async #createLineSource(lines: Omit<LineTable, "files">): Promise<string | null> {
    const found = findLineFiles(this.#runs, lines.name, this.#scratchDir);
    const { sql, files, notes } = await createLineSource(this.database, { ...lines, files: found.files });
    this.notes.push(...found.notes, ...notes);
    await this.#allowFiles(files);
    return sql;
  }

  async #allowFiles(files: readonly LineFile[]): Promise<void> {
    this.#paths.push(...files.map(({ path }) => path));
    const runs = new Map(this.#runs.map((run) => [run.run, run]));
    const lines = files.map(({ run, path }) => {
      const { dir = dirname(path), manifest } = runs.get(run) ?? {};
      return { path, run, dir, created_at: manifest?.createdAt ?? null };
    });
    await fillQueryTable(this.database, "stored.files", { columns: FILE_COLUMNS, lines });
  }

  async #fillView(name: ViewName, lines: Iterable<Record<string, unknown>>): Promise<void> {
    const columns = Object.fromEntries(VIEWS[name].columns.map(([column, type]) => [column, type]));
    await fillQueryTable(this.database, `stored.${name}`, { columns, lines });
    await this.#createView(name, `select * from stored.${name}`);
  }

  async #createView(name: string, sql: string): Promise<void> {
    await this.database.run(`create view ${name} as ${sql}`);
  }
}

/** SQL with these columns and no rows. */
function buildEmptySelect({ columns }: Omit<LineTable, "files">): string {
  const fields = Object.entries({ ...columns, from_file: "VARCHAR" });
  return `select ${fields.map(([name, type]) => `cast(null as ${type}) as "${name}"`).join(", ")} where false`;
}

/** The model and token prices of each system of each run. */
const SYSTEM_COLUMNS: Readonly<Record<string, string>> = {
  run: "VARCHAR",
  system: "VARCHAR",
  model: "VARCHAR",
  prices:
    'STRUCT("over" BIGINT, "input" DOUBLE, "output" DOUBLE, cache_read DOUBLE, cache_write DOUBLE, cache_write_1h DOUBLE)[]',
};

/** One row per run and system. */
function listSystemPrices(runs: readonly StoredRun[]): Record<string, unknown>[] {
  return runs.flatMap(({ run, manifest }) =>
    Object.entries(manifest.systems).map(([system, { model, limits }]) => ({
      run,
      system,
      model: model ?? null,
      prices: limits?.price == null ? null : listPriceTiers(limits.price),
    })),
  );
}

/** Sorted by prompt length, longest first, so that the first exceeded bound is the price that applies. */
function listPriceTiers(price: Price): Record<string, number>[] {
  const tiers = (price.tiers ?? []).toSorted((a, b) => b.over - a.over);
  return [...tiers.map((tier) => toPriceEntry(tier, tier.over)), toPriceEntry(price, -1)];
}

function toPriceEntry(prices: TokenPrices, over: number): Record<string, number> {
  return {
    over,
    input: prices.input,
    output: prices.output,
    cache_read: prices.cacheRead,
    cache_write: prices.cacheWrite,
    cache_write_1h: prices.cacheWrite1h,
  };
}

/** The columns of a table with their types, and its rows, which are already in memory. */
interface TableContent {
  readonly columns: Readonly<Record<string, string>>;
  readonly lines: Iterable<Readonly<Record<string, unknown>>>;
}

/**
 * Inserts rows into a table, which is created if needed. Through a file, which is twice as fast as passing values. A value of
 * the wrong type, as in a damaged manifest, becomes NULL.
 */
async function fillQueryTable(database: QueryDatabase, name: string, { columns, lines }: TableContent): Promise<void> {
  const fields = Object.entries(columns).map(([column, type]) => `${quoteSql(column)}: ${quoteSql(type)}`);
  const empty = Object.entries(columns).map(([column, type]) => `cast(null as ${type}) as "${column}"`);
  await database.run(`create table if not exists ${name} as select ${empty.join(", ")} where false`);
  const file = createScratchPath(database.scratchDir);
  await writePieces(file, streamTablePieces(lines));
  await database.run(
    `insert into ${name} select * from read_json(${quoteSql(file)}, format = 'newline_delimited', columns = {${fields.join(", ")}}, ignore_errors = true)`,
  );
  rmSync(file);
}

const MAX_PIECE_CHARS = 1 << 16;

function* streamTablePieces(lines: TableContent["lines"]): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += `${stringifyStrict(line)}\n`;
    if (piece.length < MAX_PIECE_CHARS) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

type SummaryFigures = Readonly<Record<string, number | string | null>>;

/** Suffixes of values that accompany a figure. */
const COMPANION_KEY = /^(.+)_(?:ci_low|ci_high|n|groups|reason)$/;

/** The rows of `summary`: one per run, system and figure. Unfinished runs have none. */
function* streamSummaryTable(runs: readonly StoredRun[]): Generator<Record<string, unknown>> {
  for (const { run, dir, manifest } of runs) {
    const stored = readSummary(dir);
    const head = { run, created_at: manifest.createdAt ?? null };
    for (const [system, figures] of Object.entries(stored?.summary ?? {}))
      yield* streamFigureLines(flattenFigures(figures), { ...head, system });
    yield* streamFigureLines(stored?.across ?? {}, { ...head, system: null });
  }
}

function* streamFigureLines(
  figures: SummaryFigures,
  head: Record<string, unknown>,
): Generator<Record<string, unknown>> {
  const at = (key: string) => getOwn(figures, key) ?? null;
  for (const [metric, value] of Object.entries(figures)) {
    if (isCompanionKey(metric, figures)) continue;
    const n = at(`${metric}_n`);
    yield {
      ...head,
      metric,
      // The mean of no tasks is stored as 0, which would pull down every average over runs.
      value: typeof value === "number" && n !== 0 ? value : null,
      ci_low: at(`${metric}_ci_low`),
      ci_high: at(`${metric}_ci_high`),
      n,
      reason: at(`${metric}_reason`) ?? at(`${metric}_ci_low_reason`) ?? at(`${metric}_ci_high_reason`),
    };
  }
}

/** A metric name may end like this too: it is a companion only if its figure exists. */
function isCompanionKey(key: string, figures: SummaryFigures): boolean {
  const base = COMPANION_KEY.exec(key)?.[1];
  return base !== undefined && Object.hasOwn(figures, base);
}

/** The rows of `runs`, from manifests and summaries only: rows are not read for a list. */
function buildRunsTable(runs: readonly StoredRun[]): Record<string, unknown>[] {
  return runs.map((run) => toRunLine(run, readSummary(run.dir)));
}

function toRunLine({ run, dir, manifest }: StoredRun, summary: StoredSummary | null): Record<string, unknown> {
  const { config } = manifest;
  return {
    run,
    title: config.title ?? null,
    tags: readLabels(dir).tags,
    command: readInvocationCommand(manifest.invocation),
    status: readRunStatus(dir, summary, manifest.planned),
    created_at: manifest.createdAt ?? null,
    git_revision: manifest.gitRevision ?? null,
    assay_version: manifest.assayVersion ?? null,
    planned: manifest.planned ?? null,
    done: countDoneTrials(summary),
    trials: config.trials ?? null,
    threshold: config.threshold ?? null,
    seed: config.seed ?? null,
    datasets: config.datasets.map(({ name }) => name),
    systems: config.systems ?? Object.keys(manifest.systems),
    cost_usd: sumRunCost(summary),
    wall_seconds: summary?.timing?.wallSeconds ?? null,
    parent: manifest.parent?.runId ?? null,
  };
}

function readInvocationCommand(invocation: unknown): string | null {
  const { command } = (invocation ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : null;
}

function readRunStatus(dir: string, summary: StoredSummary | null, planned: number): string {
  if (isRunLocked(join(dir, RUN_FILES.lock))) return "running";
  return summary !== null && hasRunEnded(summary, planned) ? "complete" : "incomplete";
}

function countDoneTrials(summary: StoredSummary | null): number | null {
  return summary?.counts == null ? null : countFinishedTrials(summary.counts);
}

function sumRunCost(summary: StoredSummary | null): number | null {
  const costs = Object.entries(summary?.counts ?? {}).map(([system, { costUsd }]) => {
    const figures = flattenFigures(getOwn(summary?.summary ?? {}, system) ?? {});
    return (figures.cost_unknown_trials ?? 0) === 0 ? costUsd : null;
  });
  return sumKnown(costs);
}

/** A sum with an unknown part is unknown. */
function sumKnown(parts: readonly (number | null)[]): number | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 || known.length < parts.length ? null : known.reduce((sum, part) => sum + part, 0);
}

/** All figures of one system, including speed and efficiency. */
function flattenFigures(system: JsonSummary): Record<string, number | string | null> {
  const { efficiency, ...others } = system;
  const nested = typeof efficiency === "object" && efficiency !== null ? efficiency : {};
  return { ...(others as Record<string, number | string | null>), ...nested };
}
