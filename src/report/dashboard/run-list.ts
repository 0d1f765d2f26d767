import { basename, join } from "node:path";
import { AssayError, messageOf } from "../../core/errors.js";
import type { EvalConfig, EvalResult } from "../../core/result.js";
import { readManifest } from "../../store/journal.js";
import type { Manifest } from "../../store/manifest.js";
import { doneIn, hasEnded, readSummary, type StoredSummary } from "../../store/summary-file.js";
import { type CardParts, damagedCard, datasetName, hasTag, readCard, resultParts, runCard } from "./cards.js";
import type { RunCard, RunFilter, RunPage, RunQuery } from "./contract.js";
import { lookAt, namesIn, type RunFolder } from "./run-list-folder.js";
import { pageOfRuns } from "./run-query.js";

/** Loads a stored run; `soFar` for a running one or one without rows. */
export type LoadStoredRun = (dir: string, options: { soFar: boolean }) => Promise<EvalResult>;

export interface RunListOptions {
  runsDir: string;
  load: LoadStoredRun;
}

/** Cached data about a run, valid as long as its files do not change. */
interface Kept {
  state: string;
  isRunning: boolean;
  card: RunCard | Promise<RunCard>;
  /** Filtered cards, by filter. */
  slices: Map<string, Promise<RunCard | null>>;
  /** Until when it is used although the run has progressed. */
  freshUntil: number;
}

/** The rows of a running run are read again after this many times the duration of the last read. */
const REST = 10;

/** The progress of reading all runs. */
interface Reading {
  readonly cards: RunCard[];
  /** Number of folders still to be read. */
  left: number;
  done: Promise<void>;
}

/**
 * The runs of a folder. Cards are cached, so that listing again only checks each folder. Files are read synchronously in
 * slices of a few milliseconds: asynchronous reads of two small files for each of a thousand runs take twice as long.
 * @example
 * const runs = new RunList({ runsDir: ".assay/runs", load: loadRun });
 * const { runs: [latest] } = await runs.list({ dataset: "gsm8k" });
 */
export class RunList {
  readonly #runsDir: string;
  readonly #load: LoadStoredRun;
  readonly #kept = new Map<string, Kept>();
  #first: Reading | null = null;

  constructor({ runsDir, load }: RunListOptions) {
    this.#runsDir = runsDir;
    this.#load = load;
  }

  /**
   * Returns a page of the runs that match a query. Default order: newest first.
   * @param patienceMs How long to wait for the first reading; after that, the page has only the runs read so far.
   */
  async list(query: RunQuery = {}, patienceMs: number = Number.POSITIVE_INFINITY): Promise<RunPage> {
    const reading = await this.#readAll(patienceMs);
    const page = pageOfRuns(reading.cards.toSorted(newestFirst), query, reading.left);
    return { ...page, runs: await this.#slices(page.runs, query) };
  }

  async #readAll(patienceMs: number): Promise<Reading> {
    const first = this.#first;
    if (first !== null) await within(first.done, patienceMs);
    if (first !== null && first.left > 0) return first;
    // Starts a new reading instead of joining a running one, so that later changes are seen.
    const reading = this.#beginReading();
    this.#first ??= reading;
    await within(reading.done, this.#first === reading ? patienceMs : Number.POSITIVE_INFINITY);
    return reading;
  }

  /** Run folders are named by time: the newest are read first, in case the caller does not wait for all. */
  #beginReading(): Reading {
    const names = namesIn(this.#runsDir).sort().reverse();
    const reading: Reading = { cards: [], left: names.length, done: Promise.resolve() };
    reading.done = this.#read(names, reading);
    return reading;
  }

  async #read(names: readonly string[], reading: Reading): Promise<void> {
    const pause = takingTurns();
    for (const name of names) {
      const folder = lookAt(join(this.#runsDir, name));
      if (folder !== null) reading.cards.push(await this.#keep(folder).card);
      reading.left -= 1;
      await pause();
    }
    this.#forgetAllBut(new Set(names));
  }

  /** Null when there is no such run. An id is a name in the folder and cannot lead out of it. */
  async card(id: string): Promise<RunCard | null> {
    if (id === "" || id === "." || id === ".." || id !== basename(id)) return null;
    const folder = lookAt(join(this.#runsDir, id));
    return folder === null ? null : this.#keep(folder).card;
  }

  /** Runs without matching rows are left out. */
  async #slices(cards: readonly RunCard[], filter: RunFilter): Promise<RunCard[]> {
    const slices: RunCard[] = [];
    for (const card of cards) {
      const slice = isWhole(card, filter) ? card : await this.#keptSlice(card, filter);
      if (slice !== null) slices.push(slice);
    }
    return slices;
  }

  async #keptSlice(card: RunCard, filter: RunFilter): Promise<RunCard | null> {
    const folder = lookAt(join(this.#runsDir, card.id));
    if (folder === null) return null;
    const { slices } = this.#keep(folder);
    const key = JSON.stringify([filter.dataset, filter.tag]);
    const slice = slices.get(key) ?? this.#slice(folder, card, filter);
    slices.set(key, slice);
    return slice;
  }

  #keep(folder: RunFolder): Kept {
    const known = this.#kept.get(folder.id);
    if (known !== undefined && isCurrent(known, folder)) return known;
    const startedAt = performance.now();
    const { state, isRunning } = folder;
    const kept: Kept = { state, isRunning, card: this.#readCard(folder), slices: new Map(), freshUntil: 0 };
    this.#kept.set(folder.id, kept);
    if (kept.card instanceof Promise) {
      kept.freshUntil = Number.POSITIVE_INFINITY;
      void kept.card.then(() => {
        kept.freshUntil = performance.now() + REST * (performance.now() - startedAt);
      });
    }
    return kept;
  }

  /** Synchronous if the card is stored or the summary is enough; otherwise computed from the rows. */
  #readCard(folder: RunFolder): RunCard | Promise<RunCard> {
    const { dir, cardSources, isRunning } = folder;
    const kept = cardSources === null || isRunning ? null : readCard(dir, cardSources);
    if (kept !== null) return { ...kept, id: folder.id };
    try {
      const manifest = readManifest(folder.dir);
      const stored = readSummary(folder.dir);
      return storedCard(folder, manifest, stored) ?? this.#fromRows(folder, manifest, stored);
    } catch (error) {
      return damagedCard(folder.id, { problem: problemOf(error), createdAt: folder.writtenAt.toISOString() });
    }
  }

  async #fromRows(folder: RunFolder, manifest: Manifest, stored: StoredSummary | null): Promise<RunCard> {
    const wallSeconds = folder.isRunning ? null : (stored?.timing?.wallSeconds ?? null);
    const about = { id: folder.id, manifest, planned: manifest.planned, wallSeconds };
    try {
      const parts = resultParts(await this.#result(folder));
      const ended = doneIn(parts.counts) >= manifest.planned ? "complete" : "incomplete";
      return runCard({ ...about, ...parts, status: folder.isRunning ? "running" : ended });
    } catch (error) {
      const nothing = { summary: {}, counts: {}, config: manifest.config };
      return { ...runCard({ ...about, ...nothing, status: "damaged" }), problem: messageOf(error) };
    }
  }

  async #result({ dir, isRunning }: RunFolder): Promise<EvalResult> {
    try {
      return await this.#load(dir, { soFar: isRunning });
    } catch (error) {
      if (isRunning) throw error;
      // A run that was stopped before its first trial finished is not damaged: it has nothing to show.
      return this.#load(dir, { soFar: true });
    }
  }

  async #slice(folder: RunFolder, card: RunCard, filter: RunFilter): Promise<RunCard | null> {
    try {
      const slice = sliceOf(await this.#result(folder), filter);
      if (slice === null) return null;
      const { id, status, wallSeconds, tags } = card;
      const about = { id, status, wallSeconds, manifest: readManifest(folder.dir), planned: slice.rows.length };
      return { ...runCard({ ...about, ...resultParts(slice) }), tags };
    } catch (error) {
      return { ...card, status: "damaged", problem: messageOf(error) };
    }
  }

  #forgetAllBut(ids: ReadonlySet<string>): void {
    for (const id of this.#kept.keys()) if (!ids.has(id)) this.#kept.delete(id);
  }
}

function isCurrent(kept: Kept, { state, isRunning }: RunFolder): boolean {
  return kept.state === state || (kept.isRunning && isRunning && performance.now() < kept.freshUntil);
}

/** Null when rows are needed: for a running run, one without a summary, or one that was continued since. */
function storedCard(folder: RunFolder, manifest: Manifest, stored: StoredSummary | null): RunCard | null {
  if (folder.isRunning || stored === null || stored.counts === null) return null;
  if (!stored.complete && folder.hasNewerRows) return null;
  const { summary, counts, timing } = stored;
  const wallSeconds = timing?.wallSeconds ?? null;
  const { config, planned } = manifest;
  const status: CardParts["status"] = hasEnded(stored, planned) ? "complete" : "incomplete";
  return runCard({ id: folder.id, manifest, config, planned, summary, counts, wallSeconds, status });
}

/** Errors from missing manifest fields mean nothing to users. */
function problemOf(error: unknown): string {
  if (error instanceof AssayError) return error.message;
  return `The manifest was not written by Assay: parts of it are missing or have the wrong type (${messageOf(error)}).`;
}

function newestFirst(a: RunCard, b: RunCard): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

async function within(done: Promise<void>, ms: number): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) return done;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, timeout]);
  clearTimeout(timer);
}

/** Maximum time to block the event loop, as far as single steps allow. */
const TURN_MS = 8;

/**
 * Splits long work so that other requests are answered in between: awaited after each step, it yields to the event loop
 * whenever that was blocked for a while.
 * @example
 * const pause = createYielder();
 * for (const dir of dirs) { read(dir); await pause(); }
 */
export function takingTurns(clock: () => number = () => performance.now()): () => Promise<void> | undefined {
  let start = clock();
  return () => {
    if (clock() - start < TURN_MS) return undefined;
    return new Promise<void>((resolve) => {
      setImmediate(() => {
        start = clock();
        resolve();
      });
    });
  };
}

/** True if every row of the run matches the filter, so that its card can be used. */
function isWhole({ datasets, status }: RunCard, { dataset, tag }: RunFilter): boolean {
  if (status === "damaged") return true;
  return tag === undefined && (dataset === undefined || datasets.every(({ name }) => name === dataset));
}

/** Returns the part of a run that matches a filter, with its own figures; null when nothing matches. */
function sliceOf(result: EvalResult, { dataset, tag }: RunFilter): EvalResult | null {
  const own = dataset === undefined ? null : tagsOfDataset(result.config, dataset);
  const slice = result.filter(
    (row) => (own === null || own.has(row.dataset)) && (tag === undefined || hasTag(row, tag)),
  );
  return slice.rows.length === 0 ? null : slice;
}

/** Examples of one dataset may carry the names of several. */
function tagsOfDataset({ datasets }: EvalConfig, name: string): Set<string> {
  return new Set(datasets.filter((dataset) => datasetName(dataset.name) === name).flatMap(({ tags }) => tags));
}
