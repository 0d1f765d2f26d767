import { readdirSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { EvalConfig, EvalResult } from "../../core/index.js";
import { AssayError, getErrorMessage } from "../../core/index.js";
import type { Manifest } from "../../store/index.js";
import {
  countFinishedTrials,
  hasRunEnded,
  isRunLocked,
  LABELS_FILE,
  QUARANTINE_FILE,
  RUN_FILES,
  readLabels,
  readManifest,
  readQuarantine,
  readSummary,
  type StoredSummary,
} from "../../store/index.js";
import {
  buildDamagedCard,
  buildRunCard,
  CARD_FILE,
  type CardParts,
  type CardSources,
  getDatasetLabel,
  hasTag,
  readCard,
  toCardParts,
} from "./cards.js";
import type { RunCard, RunFilter, RunListQuery, RunPage } from "./contract.js";
import { buildRunPage } from "./run-query.js";

/** Loads a stored run; `soFar` for a running one or one without rows. */
type LoadStoredRun = (dir: string, options: { soFar: boolean }) => Promise<EvalResult>;

interface RunListOptions {
  runsDir: string;
  load: LoadStoredRun;
}

/** Cached data about a run, valid as long as its files do not change. */
interface CachedRunCard {
  state: string;
  isRunning: boolean;
  card: RunCard | Promise<RunCard>;
  /** Filtered cards, by filter. */
  slices: Map<string, Promise<RunCard | null>>;
  /** Until when it is used although the run has progressed. */
  freshUntil: number;
}

/** The rows of a running run are read again after this many times the duration of the last read. */
const REREAD_FACTOR = 10;

/** The progress of reading all runs. */
interface ReadProgress {
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
  readonly #kept = new Map<string, CachedRunCard>();
  #first: ReadProgress | null = null;

  constructor({ runsDir, load }: RunListOptions) {
    this.#runsDir = runsDir;
    this.#load = load;
  }

  /**
   * Returns a page of the runs that match a query. Default order: newest first.
   * @param patienceMs How long to wait for the first reading; after that, the page has only the runs read so far.
   */
  async list(query: RunListQuery = {}, patienceMs: number = Number.POSITIVE_INFINITY): Promise<RunPage> {
    const reading = await this.#readAll(patienceMs);
    const page = buildRunPage(reading.cards.toSorted(compareNewestFirst), query, reading.left);
    return { ...page, runs: await this.#listSlices(page.runs, query) };
  }

  async #readAll(patienceMs: number): Promise<ReadProgress> {
    const first = this.#first;
    if (first !== null) await waitAtMost(first.done, patienceMs);
    if (first !== null && first.left > 0) return first;
    // Starts a new reading instead of joining a running one, so that later changes are seen.
    const reading = this.#startReading();
    this.#first ??= reading;
    await waitAtMost(reading.done, this.#first === reading ? patienceMs : Number.POSITIVE_INFINITY);
    return reading;
  }

  /** Run folders are named by time: the newest are read first, in case the caller does not wait for all. */
  #startReading(): ReadProgress {
    const names = listFolderNames(this.#runsDir).sort().reverse();
    const reading: ReadProgress = { cards: [], left: names.length, done: Promise.resolve() };
    reading.done = this.#read(names, reading);
    return reading;
  }

  async #read(names: readonly string[], reading: ReadProgress): Promise<void> {
    const pause = createYielder();
    for (const name of names) {
      const folder = inspectRunFolder(join(this.#runsDir, name));
      if (folder !== null) reading.cards.push(await this.#getCached(folder).card);
      reading.left -= 1;
      await pause();
    }
    this.#removeAllBut(new Set(names));
  }

  /** Null when there is no such run. An id is a name in the folder and cannot lead out of it. */
  async getCard(id: string): Promise<RunCard | null> {
    if (id === "" || id === "." || id === ".." || id !== basename(id)) return null;
    const folder = inspectRunFolder(join(this.#runsDir, id));
    return folder === null ? null : this.#getCached(folder).card;
  }

  /** Runs without matching rows are left out. */
  async #listSlices(cards: readonly RunCard[], filter: RunFilter): Promise<RunCard[]> {
    const slices: RunCard[] = [];
    for (const card of cards) {
      const slice = hasOnlyFiltered(card, filter) ? card : await this.#getCachedSlice(card, filter);
      if (slice !== null) slices.push(slice);
    }
    return slices;
  }

  async #getCachedSlice(card: RunCard, filter: RunFilter): Promise<RunCard | null> {
    const folder = inspectRunFolder(join(this.#runsDir, card.id));
    if (folder === null) return null;
    const { slices } = this.#getCached(folder);
    const key = JSON.stringify([filter.dataset, filter.tag]);
    const slice = slices.get(key) ?? this.#computeSlice(folder, card, filter);
    slices.set(key, slice);
    return slice;
  }

  #getCached(folder: RunFolder): CachedRunCard {
    const known = this.#kept.get(folder.id);
    if (known !== undefined && isCurrent(known, folder)) return known;
    const startedAt = performance.now();
    const { state, isRunning } = folder;
    const kept: CachedRunCard = { state, isRunning, card: this.#readCard(folder), slices: new Map(), freshUntil: 0 };
    this.#kept.set(folder.id, kept);
    if (kept.card instanceof Promise) {
      kept.freshUntil = Number.POSITIVE_INFINITY;
      void kept.card.then(() => {
        kept.freshUntil = performance.now() + REREAD_FACTOR * (performance.now() - startedAt);
      });
    }
    return kept;
  }

  /** Synchronous if the card is stored or the summary is enough; otherwise computed from the rows. */
  #readCard(folder: RunFolder): RunCard | Promise<RunCard> {
    const card = this.#readUnlabeledCard(folder);
    if (!folder.hasLabels) return card;
    return card instanceof Promise ? card.then((read) => labelCard(read, folder)) : labelCard(card, folder);
  }

  #readUnlabeledCard(folder: RunFolder): RunCard | Promise<RunCard> {
    const { dir, cardSources, isRunning } = folder;
    // What is stored counts trials that were put aside later.
    const isStale = folder.hasQuarantine && readQuarantine(dir).length > 0;
    const kept = cardSources === null || isRunning || isStale ? null : readCard(dir, cardSources);
    if (kept !== null) return { ...kept, id: folder.id, runTags: [] };
    try {
      const manifest = readManifest(folder.dir);
      const stored = readSummary(folder.dir);
      if (isStale) return this.#readCardFromRows(folder, manifest, stored);
      return buildStoredCard(folder, manifest, stored) ?? this.#readCardFromRows(folder, manifest, stored);
    } catch (error) {
      return buildDamagedCard(folder.id, {
        problem: describeManifestProblem(error),
        createdAt: folder.writtenAt.toISOString(),
      });
    }
  }

  async #readCardFromRows(folder: RunFolder, manifest: Manifest, stored: StoredSummary | null): Promise<RunCard> {
    const wallSeconds = folder.isRunning ? null : (stored?.timing?.wallSeconds ?? null);
    const planned = manifest.planned - (folder.hasQuarantine ? readQuarantine(folder.dir).length : 0);
    const about = { id: folder.id, manifest, planned, wallSeconds };
    try {
      const parts = toCardParts(await this.#loadResult(folder));
      const isOver = stored?.complete === true || countFinishedTrials(parts.counts) >= planned;
      const ended = isOver ? "complete" : "incomplete";
      return buildRunCard({ ...about, ...parts, status: folder.isRunning ? "running" : ended });
    } catch (error) {
      const nothing = { summary: {}, counts: {}, config: manifest.config };
      return { ...buildRunCard({ ...about, ...nothing, status: "damaged" }), problem: getErrorMessage(error) };
    }
  }

  async #loadResult({ dir, isRunning }: RunFolder): Promise<EvalResult> {
    try {
      return await this.#load(dir, { soFar: isRunning });
    } catch (error) {
      if (isRunning) throw error;
      // A run that was stopped before its first trial finished is not damaged: it has nothing to show.
      return this.#load(dir, { soFar: true });
    }
  }

  async #computeSlice(folder: RunFolder, card: RunCard, filter: RunFilter): Promise<RunCard | null> {
    try {
      const slice = filterResult(await this.#loadResult(folder), filter);
      if (slice === null) return null;
      const { id, status, wallSeconds, tags, runTags } = card;
      const about = { id, status, wallSeconds, manifest: readManifest(folder.dir), planned: slice.rows.length };
      return { ...buildRunCard({ ...about, ...toCardParts(slice) }), tags, runTags };
    } catch (error) {
      return { ...card, status: "damaged", problem: getErrorMessage(error) };
    }
  }

  #removeAllBut(ids: ReadonlySet<string>): void {
    for (const id of this.#kept.keys()) if (!ids.has(id)) this.#kept.delete(id);
  }
}

/** Labels may change at any time, so they are not part of the stored card. */
function labelCard(card: RunCard, { dir }: RunFolder): RunCard {
  const { title, tags } = readLabels(dir);
  return { ...card, title: title ?? card.title, runTags: tags };
}

function isCurrent(kept: CachedRunCard, { state, isRunning }: RunFolder): boolean {
  return kept.state === state || (kept.isRunning && isRunning && performance.now() < kept.freshUntil);
}

/** Null when rows are needed: for a running run, one without a summary, or one that was continued since. */
function buildStoredCard(folder: RunFolder, manifest: Manifest, stored: StoredSummary | null): RunCard | null {
  if (folder.isRunning || stored === null || stored.counts === null) return null;
  if (!stored.complete && folder.hasNewerRows) return null;
  const { summary, counts, timing } = stored;
  const wallSeconds = timing?.wallSeconds ?? null;
  const { config, planned } = manifest;
  const status: CardParts["status"] = hasRunEnded(stored, planned) ? "complete" : "incomplete";
  return buildRunCard({ id: folder.id, manifest, config, planned, summary, counts, wallSeconds, status });
}

/** Errors from missing manifest fields mean nothing to users. */
function describeManifestProblem(error: unknown): string {
  if (error instanceof AssayError) return error.message;
  return `The manifest was not written by Assay: parts of it are missing or have the wrong type (${getErrorMessage(error)}).`;
}

function compareNewestFirst(a: RunCard, b: RunCard): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

async function waitAtMost(done: Promise<void>, ms: number): Promise<void> {
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
export function createYielder(clock: () => number = () => performance.now()): () => Promise<void> | undefined {
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
function hasOnlyFiltered({ datasets, status }: RunCard, { dataset, tag }: RunFilter): boolean {
  if (status === "damaged") return true;
  return tag === undefined && (dataset === undefined || datasets.every(({ name }) => name === dataset));
}

/** Returns the part of a run that matches a filter, with its own figures; null when nothing matches. */
function filterResult(result: EvalResult, { dataset, tag }: RunFilter): EvalResult | null {
  const own = dataset === undefined ? null : listDatasetTags(result.config, dataset);
  const slice = result.filter(
    (row) => (own === null || own.has(row.dataset)) && (tag === undefined || hasTag(row, tag)),
  );
  return slice.rows.length === 0 ? null : slice;
}

/** Examples of one dataset may carry the names of several. */
function listDatasetTags({ datasets }: EvalConfig, name: string): Set<string> {
  return new Set(datasets.filter((dataset) => getDatasetLabel(dataset.name) === name).flatMap(({ tags }) => tags));
}

/** The current state of a run folder. */
interface RunFolder {
  readonly id: string;
  readonly dir: string;
  readonly isRunning: boolean;
  /** Changes when one of the files changes that a card is made from. */
  readonly state: string;
  /** When its manifest was written. */
  readonly writtenAt: Date;
  /** The sources of a stored card; null when there is no card, or it is older than its sources. */
  readonly cardSources: CardSources | null;
  /** True when rows were written after the summary. */
  readonly hasNewerRows: boolean;
  /** True when a user gave it tags or another title. */
  readonly hasLabels: boolean;
  /** True when trials of it were put aside, or had been. */
  readonly hasQuarantine: boolean;
}

/** Checks a folder without reading its files; null when it is not a run. */
export function inspectRunFolder(dir: string): RunFolder | null {
  const manifest = statRunFile(join(dir, RUN_FILES.manifest));
  if (manifest === undefined) return null;
  const names = [RUN_FILES.summary, RUN_FILES.rows, LABELS_FILE, QUARANTINE_FILE, CARD_FILE];
  const [summary, rows, labels, quarantine, card] = names.map((name) => statRunFile(join(dir, name)));
  const lock = join(dir, RUN_FILES.lock);
  const isRunning = statRunFile(lock) !== undefined && isRunLocked(lock);
  const files = [manifest, summary, rows, labels, quarantine].map((file) =>
    file === undefined ? "-" : `${file.mtimeMs} ${file.size}`,
  );
  return {
    id: basename(dir),
    dir,
    isRunning,
    state: [isRunning, ...files].join(" "),
    writtenAt: manifest.mtime,
    cardSources: isNewestFile(card, [manifest, summary, rows]) ? [manifest, summary, rows] : null,
    hasNewerRows: (rows?.mtimeMs ?? 0) > (summary?.mtimeMs ?? 0),
    hasLabels: labels !== undefined,
    hasQuarantine: quarantine !== undefined,
  };
}

function isNewestFile(card: Stats | undefined, others: readonly (Stats | undefined)[]): boolean {
  return card !== undefined && others.every((other) => other !== undefined && other.mtimeMs <= card.mtimeMs);
}

/** Empty when the folder does not exist. */
export function listFolderNames(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function statRunFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
