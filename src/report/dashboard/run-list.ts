import { basename, join } from "node:path";
import { AssayError, messageOf } from "../../core/errors.js";
import type { EvalResult } from "../../core/result.js";
import { readManifest } from "../../store/journal.js";
import type { Manifest } from "../../store/manifest.js";
import { doneIn, hasEnded, readSummary, type StoredSummary } from "../../store/summary-file.js";
import { readCard } from "./card-file.js";
import { type CardParts, damagedCard, resultParts, runCard } from "./cards.js";
import type { RunCard, RunFilter } from "./contract.js";
import { lookAt, namesIn, type RunFolder } from "./run-list-folder.js";
import { takingTurns } from "./run-list-turns.js";
import { hasAny, hasNothingElse, sliceOf } from "./slice.js";

/** Loads a stored run; `soFar` for one that is going on, or that has not one row. */
export type LoadStoredRun = (dir: string, options: { soFar: boolean }) => Promise<EvalResult>;

export interface RunListOptions {
  runsDir: string;
  load: LoadStoredRun;
}

/** What was found out about a run, for as long as its files stay as they are. */
interface Kept {
  state: string;
  isRunning: boolean;
  card: RunCard | Promise<RunCard>;
  /** What filters leave of it, by filter. */
  slices: Map<string, Promise<RunCard | null>>;
  /** Until when it is good enough although the run has gone on. */
  freshUntil: number;
}

/** The rows of a run that is going on are read again after so many times as long as reading them takes. */
const REST = 10;

/**
 * The runs of a folder. What was read is kept, so that listing again costs a look at each folder. Files are read in
 * place, a few milliseconds at a time: by callbacks, two small files of each of a thousand runs take twice as long.
 * @example
 * const runs = new RunList({ runsDir: ".assay/runs", load: loadRun });
 * const [latest] = await runs.list({ dataset: "gsm8k" });
 */
export class RunList {
  readonly #runsDir: string;
  readonly #load: LoadStoredRun;
  readonly #kept = new Map<string, Kept>();

  constructor({ runsDir, load }: RunListOptions) {
    this.#runsDir = runsDir;
    this.#load = load;
  }

  /** The runs that have what a filter asks for, the newest first. */
  async list(filter: RunFilter = {}): Promise<RunCard[]> {
    const pause = takingTurns();
    const names = namesIn(this.#runsDir);
    const cards: RunCard[] = [];
    for (const name of names) {
      const folder = lookAt(join(this.#runsDir, name));
      const card = folder === null ? null : await this.#filtered(folder, filter);
      if (card !== null) cards.push(card);
      await pause();
    }
    this.#forgetAllBut(new Set(names));
    return cards.sort(newestFirst);
  }

  /** One run by its id; null when there is none. An id is a name in the folder, never a way out of it. */
  async card(id: string): Promise<RunCard | null> {
    if (id === "" || id === "." || id === ".." || id !== basename(id)) return null;
    const folder = lookAt(join(this.#runsDir, id));
    return folder === null ? null : this.#keep(folder).card;
  }

  async #filtered(folder: RunFolder, filter: RunFilter): Promise<RunCard | null> {
    const kept = this.#keep(folder);
    const card = await kept.card;
    if (!hasAny(card, filter)) return null;
    if (hasNothingElse(card, filter) || card.status === "damaged") return card;
    const key = JSON.stringify([filter.dataset, filter.tag]);
    const slice = kept.slices.get(key) ?? this.#slice(folder, card, filter);
    kept.slices.set(key, slice);
    return slice;
  }

  #keep(folder: RunFolder): Kept {
    const known = this.#kept.get(folder.id);
    if (known !== undefined && isCurrent(known, folder)) return known;
    const startedAt = performance.now();
    const { state, isRunning } = folder;
    const kept: Kept = { state, isRunning, card: this.#read(folder), slices: new Map(), freshUntil: 0 };
    this.#kept.set(folder.id, kept);
    if (kept.card instanceof Promise) {
      kept.freshUntil = Number.POSITIVE_INFINITY;
      void kept.card.then(() => {
        kept.freshUntil = performance.now() + REST * (performance.now() - startedAt);
      });
    }
    return kept;
  }

  /** The card at once where it is kept or the run's summary tells all, else from its rows. */
  #read(folder: RunFolder): RunCard | Promise<RunCard> {
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
      // A run that was stopped before its first trial was over is not damaged: it has nothing to show.
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

/** Null when only rows can tell: of a run that is going on, that was never summed up, or that went on since. */
function storedCard(folder: RunFolder, manifest: Manifest, stored: StoredSummary | null): RunCard | null {
  if (folder.isRunning || stored === null || stored.counts === null) return null;
  if (!stored.complete && folder.hasNewerRows) return null;
  const { summary, counts, timing } = stored;
  const wallSeconds = timing?.wallSeconds ?? null;
  const { config, planned } = manifest;
  const status: CardParts["status"] = hasEnded(stored, planned) ? "complete" : "incomplete";
  return runCard({ id: folder.id, manifest, config, planned, summary, counts, wallSeconds, status });
}

/** What is missing in a manifest is noticed where it is needed; the words of that mean nothing to a reader. */
function problemOf(error: unknown): string {
  if (error instanceof AssayError) return error.message;
  return `Its manifest is not as Assay writes it: parts of it are missing or of another kind (${messageOf(error)}).`;
}

function newestFirst(a: RunCard, b: RunCard): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
