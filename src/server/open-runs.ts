import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EvalResult } from "../core/result.js";
import { FILES } from "../store/journal.js";

/** Loads a stored run; `soFar` for a run still in progress. */
export type LoadRun = (dir: string, options: { soFar: boolean }) => Promise<EvalResult>;

/** Results are as large as their rows, so only the most recently used are cached. */
const MOST_KEPT = 4;
/** A run in progress is reloaded after at least this many times its loading time. */
const REST = 10;

interface Kept {
  /** Size and modification time of its rows file when it was loaded. */
  state: string;
  result: Promise<EvalResult>;
  loadedAt: number;
  tookMs: number;
}

/** Caches loaded runs by folder. */
export class OpenRuns {
  readonly #load: LoadRun;
  readonly #kept = new Map<string, Kept>();

  constructor(load: LoadRun) {
    this.#load = load;
  }

  /** Loads the result of a run from its current files; a run in progress may be slightly out of date. */
  async result(dir: string, isRunning: boolean): Promise<EvalResult> {
    const state = `${isRunning} ${await stateOf(dir)}`;
    const known = this.#kept.get(dir);
    if (known !== undefined && (known.state === state || (isRunning && isFresh(known)))) return this.#use(dir, known);
    return this.#use(dir, this.#open(dir, isRunning, state));
  }

  #open(dir: string, isRunning: boolean, state: string): Kept {
    const startedAt = performance.now();
    const result = this.#load(dir, { soFar: isRunning });
    const kept: Kept = { state, result, loadedAt: Number.POSITIVE_INFINITY, tookMs: 0 };
    result.then(
      () => Object.assign(kept, { loadedAt: performance.now(), tookMs: performance.now() - startedAt }),
      // A failed load is retried on the next request.
      () => this.#kept.get(dir) === kept && this.#kept.delete(dir),
    );
    return kept;
  }

  /** Moves the run to the end of the eviction order. */
  #use(dir: string, kept: Kept): Promise<EvalResult> {
    this.#kept.delete(dir);
    this.#kept.set(dir, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return kept.result;
  }
}

function isFresh({ loadedAt, tookMs }: Kept): boolean {
  return performance.now() - loadedAt < tookMs * REST;
}

async function stateOf(dir: string): Promise<string> {
  const states = await Promise.all([FILES.rows, FILES.summary].map((file) => fileState(join(dir, file))));
  return `${basename(dir)} ${states.join(" ")}`;
}

async function fileState(path: string): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size}@${mtimeMs}`;
  } catch {
    return "none";
  }
}
