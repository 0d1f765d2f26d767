import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EvalResult } from "../core/result.js";
import { RUN_FILES } from "../store/journal.js";

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
export class RunCache {
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
  const states = await Promise.all([RUN_FILES.rows, RUN_FILES.summary].map((file) => readFileState(join(dir, file))));
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
