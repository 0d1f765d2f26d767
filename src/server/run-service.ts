import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EvalResult, TrialKey } from "../core/index.js";
import { RunFolderError } from "../core/index.js";
import type {
  CompareView,
  ExampleExcerpts,
  LabelView,
  LiveProgress,
  QueueView,
  RunCard,
  RunListQuery,
  RunPage,
  RunStatus,
  RunView,
  TrialExcerpts,
  TrialView,
} from "../report/index.js";
import {
  buildCompareView,
  buildLabelView,
  buildRunView,
  countActiveWorkers,
  createYielder,
  inspectRunFolder,
  isEvalRun,
  listFolderNames,
  loadTrialView,
  QueueFile,
  RunList,
  readExcerpts,
  readGraderDetails,
  readTrialExcerpts,
  readTrialText,
  searchTrials,
  TrialFiles,
} from "../report/index.js";
import {
  appendTrialLabel,
  LABELS_FILE,
  QUARANTINE_FILE,
  RUN_FILES,
  readManifest,
  readTrialLabels,
  type TrialLabel,
} from "../store/index.js";
import { RunTail } from "./run-tail.js";

/** Loads a stored run; `soFar` for a run still in progress. */
export type LoadRun = (dir: string, options: { soFar: boolean }) => Promise<EvalResult>;

/** Results are as large as their rows, so only the most recently used are cached. */
const MAX_CACHED_RUNS = 4;
/** A run in progress is reloaded after at least this many times its loading time. */
const RELOAD_FACTOR = 10;

interface CachedRun {
  /** Size and modification time of its rows file when it was loaded. */
  state: string;
  result: Promise<EvalResult>;
  loadedAt: number;
  tookMs: number;
}

/** Caches loaded runs by folder. */
class RunCache {
  readonly #load: LoadRun;
  readonly #kept = new Map<string, CachedRun>();

  constructor(load: LoadRun) {
    this.#load = load;
  }

  /** Loads the result of a run from its current files; a run in progress may be slightly out of date. */
  async load(dir: string, isRunning: boolean): Promise<EvalResult> {
    const state = `${isRunning} ${await readRunState(dir)}`;
    const known = this.#kept.get(dir);
    if (known !== undefined && (known.state === state || (isRunning && isFresh(known)))) return this.#touch(dir, known);
    return this.#touch(dir, this.#startLoad(dir, isRunning, state));
  }

  #startLoad(dir: string, isRunning: boolean, state: string): CachedRun {
    const startedAt = performance.now();
    const result = this.#load(dir, { soFar: isRunning });
    const kept: CachedRun = { state, result, loadedAt: Number.POSITIVE_INFINITY, tookMs: 0 };
    result.then(
      () => Object.assign(kept, { loadedAt: performance.now(), tookMs: performance.now() - startedAt }),
      // A failed load is retried on the next request.
      () => this.#kept.get(dir) === kept && this.#kept.delete(dir),
    );
    return kept;
  }

  /** Moves the run to the end of the eviction order. */
  #touch(dir: string, kept: CachedRun): Promise<EvalResult> {
    this.#kept.delete(dir);
    this.#kept.set(dir, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_CACHED_RUNS) break;
      this.#kept.delete(oldest);
    }
    return kept.result;
  }
}

function isFresh({ loadedAt, tookMs }: CachedRun): boolean {
  return performance.now() - loadedAt < tookMs * RELOAD_FACTOR;
}

async function readRunState(dir: string): Promise<string> {
  const states = await Promise.all(
    [RUN_FILES.rows, RUN_FILES.summary, LABELS_FILE, QUARANTINE_FILE].map((file) => readFileState(join(dir, file))),
  );
  return `${basename(dir)} ${states.join(" ")}`;
}

async function readFileState(path: string): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size}@${mtimeMs}`;
  } catch {
    return "none";
  }
}

const LIST_SCAN_INTERVAL_MS = 2000;
/** Folders of finished runs are scanned in batches of this size, since any of them may be resumed. */
const MAX_FOLDERS_PER_SCAN = 500;

/** How long a page waits for the first scan of many runs before it gets those read so far. */
const FIRST_PAGE_TIMEOUT_MS = 1000;

interface FolderState {
  /** Changes when a file of the folder is created, replaced or removed. */
  mtimeMs: number | null;
  /** What lists show of a run in progress; null for any other. */
  going: string | null;
}

/**
 * Notifies listeners when the list of runs has changed. There is one watcher for all listeners, which stops when there are
 * none. A scan reads the state of the folder, of the runs in progress and of a batch of the others.
 */
export class RunListWatcher {
  readonly #runsDir: string;
  readonly #everyMs: number;
  readonly #listeners = new Set<() => void>();
  readonly #seen = new Map<string, FolderState>();
  #folderMtimeMs: number | null = null;
  /** Names still to be scanned in this round. */
  #round: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(runsDir: string, everyMs: number = LIST_SCAN_INTERVAL_MS) {
    this.#runsDir = runsDir;
    this.#everyMs = everyMs;
  }

  /** Subscribes to changes made after the promise has resolved. Returns an unsubscribe function. */
  async listen(listener: () => void): Promise<() => void> {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) await this.#scanAll();
    if (this.#listeners.size > 0) this.#scheduleScan();
    return () => this.#removeListener(listener);
  }

  #removeListener(listener: () => void): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#seen.clear();
  }

  #scheduleScan(): void {
    this.#timer ??= setTimeout(() => void this.#scan(), this.#everyMs);
  }

  async #scan(): Promise<void> {
    const isNew = readMtime(this.#runsDir) !== this.#folderMtimeMs ? await this.#scanAll() : this.#scanSome();
    this.#timer = null;
    if (this.#listeners.size === 0) return;
    if (isNew) for (const listener of this.#listeners) listener();
    this.#scheduleScan();
  }

  async #scanAll(): Promise<boolean> {
    this.#folderMtimeMs = readMtime(this.#runsDir);
    const names = listFolderNames(this.#runsDir);
    const pause = createYielder();
    let isNew = names.length !== this.#seen.size;
    for (const name of names) {
      if (this.#isChanged(name)) isNew = true;
      await pause();
    }
    const known = new Set(names);
    for (const name of this.#seen.keys()) if (!known.has(name)) this.#seen.delete(name);
    this.#round = names;
    return isNew;
  }

  #scanSome(): boolean {
    const going = [...this.#seen].flatMap(([name, seen]) => (seen.going === null ? [] : name));
    if (this.#round.length === 0) this.#round = [...this.#seen.keys()];
    const names = new Set([...going, ...this.#round.splice(-MAX_FOLDERS_PER_SCAN)]);
    // Checks all of them, not only up to the first change.
    return [...names].filter((name) => this.#isChanged(name)).length > 0;
  }

  #isChanged(name: string): boolean {
    const dir = join(this.#runsDir, name);
    const known = this.#seen.get(name);
    const mtimeMs = readMtime(dir);
    if (known !== undefined && known.going === null && known.mtimeMs === mtimeMs) return false;
    const going = readActiveState(dir);
    this.#seen.set(name, { mtimeMs, going });
    return known?.mtimeMs !== mtimeMs || known?.going !== going;
  }
}

function readMtime(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
  } catch {
    return null;
  }
}

function readActiveState(dir: string): string | null {
  const folder = inspectRunFolder(dir);
  if (folder === null || !folder.isRunning) return null;
  return `${folder.state} ${countActiveWorkers(new QueueFile(dir).read({ isGoing: true }))}`;
}

interface ComparisonRequest {
  a: string;
  b: string;
  systemA?: string | undefined;
  systemB?: string | undefined;
}

/** A computed view and the card it was computed from. */
interface CachedView {
  card: RunCard;
  view: RunView;
}

interface ResolvedRun {
  dir: string;
  card: RunCard;
}

/** Answers the page's requests about the runs of one folder, with the types of `src/report/dashboard`. */
export class RunService {
  readonly #runsDir: string;
  readonly #list: RunList;
  readonly #open: RunCache;
  readonly #listWatch: RunListWatcher;
  readonly #files = new TrialFiles();
  /** Charts of many rows are slow to compute, and a result does not change until its files do. */
  readonly #views = new WeakMap<EvalResult, CachedView>();

  constructor({ runsDir, load }: { runsDir: string; load: LoadRun }) {
    this.#runsDir = runsDir;
    this.#listWatch = new RunListWatcher(runsDir);
    this.#open = new RunCache(load);
    this.#list = new RunList({ runsDir, load: (dir, { soFar }) => this.#open.load(dir, soFar) });
  }

  /** @param options.soFar Whether to return the runs read so far when there are too many to read at once. */
  async listRuns(query: RunListQuery, { soFar }: { soFar: boolean }): Promise<RunPage> {
    const page = await this.#list.list(query, soFar ? FIRST_PAGE_TIMEOUT_MS : undefined);
    return { ...page, runs: page.runs.map((card) => this.#addWorkers(card)) };
  }

  /** The cards of some runs; unknown ids are left out. */
  async listCards(ids: readonly string[]): Promise<RunCard[]> {
    const cards = await Promise.all(ids.map((id) => this.#list.getCard(id)));
    return cards.flatMap((card) => (card === null ? [] : this.#addWorkers(card)));
  }

  async getRun(id: string): Promise<RunView> {
    const found = await this.#find(id);
    // Read on every request: it changes every second, while the rest is cached.
    return { ...(await this.#getView(found)), queue: readQueueView(found) };
  }

  async #getView({ dir, card }: ResolvedRun): Promise<RunView> {
    const result = await this.#loadResult({ dir, card });
    const kept = this.#views.get(result);
    if (kept?.card === card) return kept.view;
    const manifest = readManifest(dir);
    const graders = isEvalRun(result, manifest) ? await readGraderDetails(result, this.#files) : new Map();
    const view = buildRunView({ result, manifest, card, graders });
    this.#views.set(result, { card, view });
    return view;
  }

  async loadResult(id: string): Promise<EvalResult> {
    return this.#loadResult(await this.#find(id));
  }

  async getTrial(id: string, key: TrialKey): Promise<TrialView> {
    const { dir, card } = await this.#find(id);
    const { rows } = await this.#loadResult({ dir, card });
    const { systems } = readManifest(dir);
    return loadTrialView({ dir, rows, key, threshold: card.threshold, run: card.id, systems, files: this.#files });
  }

  async getLabels(id: string): Promise<LabelView> {
    const found = await this.#find(id);
    const { rows } = await this.#loadResult(found);
    return buildLabelView(rows, readTrialLabels(found.dir));
  }

  /** Adds a label to a trial that the run has. Returns all labels. */
  async addLabel(id: string, label: TrialLabel): Promise<LabelView> {
    const found = await this.#find(id);
    const { rows } = await this.#loadResult(found);
    const { system, dataset, exampleId, trial } = label;
    const isThere = rows.some(
      (row) => row.system === system && row.dataset === dataset && row.exampleId === exampleId && row.trial === trial,
    );
    if (!isThere) throw new RunFolderError(`The run ${id} has no trial ${trial} of ${system} on ${exampleId}.`);
    appendTrialLabel(found.dir, label);
    return buildLabelView(rows, readTrialLabels(found.dir));
  }

  async getText(id: string, key: TrialKey, field: { of: "example" | "output"; name: string }): Promise<string> {
    const { dir } = await this.#find(id);
    return readTrialText({ dir, key, ...field, files: this.#files });
  }

  /** The beginnings of the texts of some examples of a dataset. */
  async getExcerpts(id: string, dataset: string, ids: readonly (string | number)[]): Promise<ExampleExcerpts[]> {
    const { dir, card } = await this.#find(id);
    const { rows } = await this.#loadResult({ dir, card });
    return readExcerpts({ dir, rows, dataset, ids, files: this.#files });
  }

  /** The beginnings of the texts of some trials, in their order. */
  async getTrialExcerpts(id: string, keys: readonly TrialKey[]): Promise<TrialExcerpts[]> {
    const { dir } = await this.#find(id);
    return readTrialExcerpts(dir, keys, this.#files);
  }

  async search(
    id: string,
    text: string,
    signal: AbortSignal,
  ): Promise<{ matches: readonly TrialKey[]; isCut: boolean }> {
    const found = await this.#find(id);
    const { rows } = await this.#loadResult(found);
    return searchTrials({ dir: found.dir, rows, text, signal });
  }

  async compare({ a, b, systemA, systemB }: ComparisonRequest): Promise<CompareView> {
    const [first, second] = [await this.#find(a), await this.#find(b)];
    return buildCompareView({
      a: { card: first.card, result: await this.#loadResult(first) },
      b: { card: second.card, result: await this.#loadResult(second) },
      systemA,
      systemB,
    });
  }

  async watch(id: string, signal: AbortSignal): Promise<AsyncGenerator<RunUpdate>> {
    const { dir, card } = await this.#find(id);
    const status = async () => (await this.#find(id)).card.status;
    return watchRun({ dir, planned: card.planned, status }, signal);
  }

  /** Notifies the listener of changes to the list of runs. Returns an unsubscribe function. */
  watchList(listener: () => void): Promise<() => void> {
    return this.#listWatch.listen(listener);
  }

  #addWorkers(card: RunCard): RunCard {
    if (card.status !== "running") return card;
    const workers = countActiveWorkers(readQueueView({ dir: join(this.#runsDir, card.id), card }));
    return workers === null ? card : { ...card, workers };
  }

  #loadResult({ dir, card }: ResolvedRun): Promise<EvalResult> {
    // A run stopped before its first trial finished has no rows, but its configuration can be shown.
    return this.#open.load(dir, card.status === "running" || card.done === 0);
  }

  async #find(id: string): Promise<ResolvedRun> {
    const card = await this.#list.getCard(id);
    if (card === null) throw new RunFolderError(`No run ${id} in ${this.#runsDir}.`);
    if (card.problem !== null) throw new RunFolderError(card.problem);
    return { dir: join(this.#runsDir, id), card };
  }
}

function readQueueView({ dir, card }: ResolvedRun): QueueView | null {
  return new QueueFile(dir).read({ isGoing: card.status === "running" });
}

interface WatchRunOptions {
  dir: string;
  planned: number;
  status: () => Promise<RunStatus>;
}

/** Progress of a run, or the state of its workers. */
export type RunUpdate = { event: "progress"; data: LiveProgress } | { event: "queue"; data: QueueView | null };

const POLL_INTERVAL_MS = 500;
/** Speed is measured over the last polls, not the whole run, so that a slow start is forgotten. */
const SPEED_WINDOW_MS = 10_000;

/** Polls a run until it has ended. The last progress event says how it ended. */
export async function* watchRun(run: WatchRunOptions, signal: AbortSignal): AsyncGenerator<RunUpdate> {
  const tail = new RunTail(run.dir);
  const queue = new QueueFile(run.dir);
  const speed = new SpeedMeter();
  const isNew = createChangeFilter();
  while (!signal.aborted) {
    // Read the status before the rows, so that the last poll sees all rows.
    const status = await run.status();
    await tail.read();
    const progress = addSpeed({ ...tail.progress, status, planned: run.planned }, speed.update(tail.done));
    const workers: RunUpdate = { event: "queue", data: queue.read({ isGoing: status === "running" }) };
    if (isNew(workers)) yield workers;
    const look: RunUpdate = { event: "progress", data: progress };
    if (isNew(look)) yield look;
    if (status !== "running") return;
    await waitOrAbort(POLL_INTERVAL_MS, signal);
  }
}

/** Returns whether an update differs from the last one of its kind. A run without a queue never reports one. */
function createChangeFilter(): (news: RunUpdate) => boolean {
  const said = { queue: "null", progress: "" };
  return ({ event, data }) => {
    const text = JSON.stringify(data);
    const isNew = text !== said[event];
    said[event] = text;
    return isNew;
  };
}

function addSpeed(
  progress: Omit<LiveProgress, "trialsPerSecond" | "secondsLeft">,
  measured: number | null,
): LiveProgress {
  const trialsPerSecond = progress.status === "running" ? measured : null;
  const left = Math.max(0, progress.planned - progress.done);
  const secondsLeft = trialsPerSecond === null || trialsPerSecond === 0 ? null : left / trialsPerSecond;
  return { ...progress, trialsPerSecond, secondsLeft };
}

/** Trials per second between the oldest and the newest of the last polls. */
class SpeedMeter {
  readonly #looks: { at: number; done: number }[] = [];

  update(done: number): number | null {
    const at = performance.now();
    this.#looks.push({ at, done });
    while (this.#looks.length > 2 && at - (this.#looks[0]?.at ?? at) > SPEED_WINDOW_MS) this.#looks.shift();
    const first = this.#looks[0];
    if (first === undefined || at - first.at < POLL_INTERVAL_MS / 2) return null;
    return ((done - first.done) * 1000) / (at - first.at);
  }
}

/** Waits for a time, or until the signal aborts. */
function waitOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
