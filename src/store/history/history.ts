import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Price, TokenPrices } from "../../core/price.js";
import type { JsonSummary } from "../../core/result.js";
import { ownValue } from "../../core/shape.js";
import { FILES } from "../journal.js";
import { isRunLocked } from "../lock.js";
import { doneIn, hasEnded, readSummary, type StoredSummary } from "../summary-file.js";
import { Database } from "./database.js";
import { strictJson } from "./json-values.js";
import { type LineFile, lineFiles } from "./line-files.js";
import { type Lines, lineSource } from "./line-source.js";
import { outputSource } from "./output-files.js";
import { EXAMPLE_LINES, OUTPUT_LINES } from "./output-lines.js";
import { ROW_LINES, rowSelection, TRIAL_KEY_SQL } from "./row-lines.js";
import { emptyShape, TRIAL_COLUMNS_BESIDE_ROWS, VIEW_NAMES, VIEWS, type ViewName } from "./schema.js";
import { scratchFile } from "./scratch-file.js";
import { quoted } from "./sql-error.js";
import type { StoredRun } from "./stored-runs.js";
import { writePieces } from "./write-pieces.js";

const [, DATASET = "", KEY = "", TRIAL = ""] = TRIAL_KEY_SQL;

/** The columns of `rows`, plus `example_key`, which distinguishes `1` from `"1"`. */
function rowLinesSql(lines: string): string {
  return `select ${rowSelection()}, ${KEY} as example_key from (${lines}) l join stored.files f on f.path = l.from_file`;
}

/** The outputs by trial. Large ones are in separate files, which their lines name. */
function outputLinesSql(lines: string, files: string): string {
  const side = "f.dir || '/' || replace(l.file, '\\', '/')";
  const said = ["output", "evidence", "grades"].map((name) => `coalesce(l.${name}, s.${name}) as ${name}`);
  return `select f.run, l.system, ${DATASET.replace("dataset", "l.dataset")} as dataset, l.${KEY} as example_key, ${TRIAL.replace("trial", "l.trial")} as trial, ${said.join(", ")} from (${lines}) l join stored.files f on f.path = l.from_file left join (${files}) s on s.path = ${side}`;
}

function exampleLinesSql(lines: string): string {
  return `select f.run, ${DATASET} as dataset, id as example_key, question, coalesce(answer, answers[1]) as answer from (${lines}) l join stored.files f on f.path = l.from_file`;
}

/** `trials`: rows with everything stored beside them. */
function trialsSql(): string {
  const beside = TRIAL_COLUMNS_BESIDE_ROWS.map(([name]) => `${VIEW_BESIDE[name] ?? `o.${name}`} as ${name}`);
  const same = (other: string, columns: readonly string[]) =>
    columns.map((column) => `r.${column} = ${other}.${column}`).join(" and ");
  const example = ["run", "dataset", "example_key"];
  return `select r.* exclude (example_key), ${beside.join(", ")} from stored.row_lines r left join stored.output_lines o on ${same("o", [...example, "system", "trial"])} left join stored.example_lines e on ${same("e", example)}`;
}

const VIEW_BESIDE: Readonly<Record<string, string>> = {
  question: "e.question",
  answer: "e.answer",
  response: "o.output->>'response'",
  context: "o.output->>'context'",
};

/** The cost of each class at price `p`, in pico-dollars. Reasoning is part of output and billed with it. */
const CLASSES: Readonly<Record<string, string>> = {
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
function usageSql(): string {
  const prompt = "r.usage.input + coalesce(r.usage.cache_read, 0) + coalesce(r.usage.cache_write, 0)";
  const price = `case when len(s.prices) = 1 or coalesce(r.turns, 1) <= 1 then list_filter(s.prices, lambda x: ${prompt} > x."over")[1] end`;
  const lines = Object.entries(CLASSES).map(
    ([name, cost]) => `{'class': '${name}', 'tokens': usage.${name}, 'cost_usd': (${cost}) / 1e12}`,
  );
  const priced = `select r.run, r.created_at, r.system, coalesce(s.model, r.metadata->>'model') as model, r.dataset, r.example_id, r.trial, r.usage, ${price} as p from stored.row_lines r left join stored.systems s on s.run = r.run and s.system = r.system where r.usage is not null`;
  const unfolded = `select * exclude (usage, p), unnest([${lines.join(", ")}]) as u from (${priced})`;
  return `select * exclude (u), u.class as class, u.tokens as tokens, u.cost_usd as cost_usd from (${unfolded}) where u.tokens is not null`;
}

const FILE_COLUMNS = { path: "VARCHAR", run: "VARCHAR", dir: "VARCHAR", created_at: "TIMESTAMP" };

export interface HistoryOptions {
  readonly runs: readonly StoredRun[];
  /** The views that the query uses; all others exist but are empty. */
  readonly views: ReadonlySet<ViewName>;
  readonly signal?: AbortSignal | undefined;
  /** A file that may be written, for an export. */
  readonly mayWrite?: string;
}

/** Stored runs as views of an in-memory database that can only access their files. */
export class History {
  readonly database: Database;
  /** Notes about what was left out. */
  readonly notes: string[] = [];
  readonly #runs: readonly StoredRun[];
  readonly #scratchDir: string;
  readonly #paths: string[] = [];

  private constructor(database: Database, runs: readonly StoredRun[], scratchDir: string) {
    this.database = database;
    this.#runs = runs;
    this.#scratchDir = scratchDir;
    // A reader that closes the pipe ends the process without closing the database.
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

  /** SQL over the files of one name in all runs; null if no run has any. */
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

/** SQL with these columns and no rows. */
function nothing({ columns }: Omit<Lines, "files">): string {
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
function systemPrices(runs: readonly StoredRun[]): Record<string, unknown>[] {
  return runs.flatMap(({ run, manifest }) =>
    Object.entries(manifest.systems).map(([system, { model, limits }]) => ({
      run,
      system,
      model: model ?? null,
      prices: limits?.price == null ? null : pricesOf(limits.price),
    })),
  );
}

/** Sorted by prompt length, longest first, so that the first exceeded bound is the price that applies. */
function pricesOf(price: Price): Record<string, number>[] {
  const tiers = (price.tiers ?? []).toSorted((a, b) => b.over - a.over);
  return [...tiers.map((tier) => entryOf(tier, tier.over)), entryOf(price, -1)];
}

function entryOf(prices: TokenPrices, over: number): Record<string, number> {
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
async function fillTable(database: Database, name: string, { columns, lines }: TableContent): Promise<void> {
  const fields = Object.entries(columns).map(([column, type]) => `${quoted(column)}: ${quoted(type)}`);
  const empty = Object.entries(columns).map(([column, type]) => `cast(null as ${type}) as "${column}"`);
  await database.run(`create table if not exists ${name} as select ${empty.join(", ")} where false`);
  const file = scratchFile(database.scratchDir);
  await writePieces(file, piecesOf(lines));
  await database.run(
    `insert into ${name} select * from read_json(${quoted(file)}, format = 'newline_delimited', columns = {${fields.join(", ")}}, ignore_errors = true)`,
  );
  rmSync(file);
}

const AT_ONCE = 1 << 16;

function* piecesOf(lines: TableContent["lines"]): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += `${strictJson(line)}\n`;
    if (piece.length < AT_ONCE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

type Figures = Readonly<Record<string, number | string | null>>;

/** Suffixes of values that accompany a figure. */
const BESIDE = /^(.+)_(?:ci_low|ci_high|n|groups|reason)$/;

/** The rows of `summary`: one per run, system and figure. Unfinished runs have none. */
function* summaryTable(runs: readonly StoredRun[]): Generator<Record<string, unknown>> {
  for (const { run, dir, manifest } of runs) {
    const stored = readSummary(dir);
    const head = { run, created_at: manifest.createdAt ?? null };
    for (const [system, figures] of Object.entries(stored?.summary ?? {}))
      yield* figureLines(flatFigures(figures), { ...head, system });
    yield* figureLines(stored?.across ?? {}, { ...head, system: null });
  }
}

function* figureLines(figures: Figures, head: Record<string, unknown>): Generator<Record<string, unknown>> {
  const at = (key: string) => ownValue(figures, key) ?? null;
  for (const [metric, value] of Object.entries(figures)) {
    if (isBeside(metric, figures)) continue;
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
function isBeside(key: string, figures: Figures): boolean {
  const base = BESIDE.exec(key)?.[1];
  return base !== undefined && Object.hasOwn(figures, base);
}

/** The rows of `runs`, from manifests and summaries only: rows are not read for a list. */
function runsTable(runs: readonly StoredRun[]): Record<string, unknown>[] {
  return runs.map((run) => runLine(run, readSummary(run.dir)));
}

function runLine({ run, dir, manifest }: StoredRun, summary: StoredSummary | null): Record<string, unknown> {
  const { config } = manifest;
  return {
    run,
    title: config.title ?? null,
    command: commandOf(manifest.invocation),
    status: statusOf(dir, summary, manifest.planned),
    created_at: manifest.createdAt ?? null,
    git_revision: manifest.gitRevision ?? null,
    assay_version: manifest.assayVersion ?? null,
    planned: manifest.planned ?? null,
    done: doneOf(summary),
    trials: config.trials ?? null,
    threshold: config.threshold ?? null,
    seed: config.seed ?? null,
    datasets: config.datasets.map(({ name }) => name),
    systems: config.systems ?? Object.keys(manifest.systems),
    cost_usd: costOf(summary),
    wall_seconds: summary?.timing?.wallSeconds ?? null,
    parent: manifest.parent?.runId ?? null,
  };
}

function commandOf(invocation: unknown): string | null {
  const { command } = (invocation ?? {}) as { command?: unknown };
  return typeof command === "string" ? command : null;
}

function statusOf(dir: string, summary: StoredSummary | null, planned: number): string {
  if (isRunLocked(join(dir, FILES.lock))) return "running";
  return summary !== null && hasEnded(summary, planned) ? "complete" : "incomplete";
}

function doneOf(summary: StoredSummary | null): number | null {
  return summary?.counts == null ? null : doneIn(summary.counts);
}

function costOf(summary: StoredSummary | null): number | null {
  const costs = Object.entries(summary?.counts ?? {}).map(([system, { costUsd }]) => {
    const figures = flatFigures(ownValue(summary?.summary ?? {}, system) ?? {});
    return (figures.cost_unknown_trials ?? 0) === 0 ? costUsd : null;
  });
  return totalOf(costs);
}

/** A sum with an unknown part is unknown. */
function totalOf(parts: readonly (number | null)[]): number | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 || known.length < parts.length ? null : known.reduce((sum, part) => sum + part, 0);
}

/** All figures of one system, including speed and efficiency. */
function flatFigures(system: JsonSummary): Record<string, number | string | null> {
  const { efficiency, ...others } = system;
  const nested = typeof efficiency === "object" && efficiency !== null ? efficiency : {};
  return { ...(others as Record<string, number | string | null>), ...nested };
}
