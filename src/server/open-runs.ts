import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EvalResult } from "../core/result.js";
import { FILES } from "../store/journal.js";

/** Loads a stored run; `soFar` for one that is going on. */
export type LoadRun = (dir: string, options: { soFar: boolean }) => Promise<EvalResult>;

/** Results are as large as their rows: the last few that were looked at are kept. */
const MOST_KEPT = 4;
/** A run that is going on is loaded again at most after so many times as long as loading takes. */
const REST = 10;

interface Kept {
  /** Size and date of its rows when it was loaded. */
  state: string;
  result: Promise<EvalResult>;
  loadedAt: number;
  tookMs: number;
}

/** Runs that were looked at, so that the next look does not read them again. */
export class OpenRuns {
  readonly #load: LoadRun;
  readonly #kept = new Map<string, Kept>();

  constructor(load: LoadRun) {
    this.#load = load;
  }

  /** The result of a run, as its files are now; of one that is going on, as they were a moment ago. */
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
      // A run that could not be loaded is tried again when it is asked for again.
      () => this.#kept.get(dir) === kept && this.#kept.delete(dir),
    );
    return kept;
  }

  /** The one that was used last is the last to go. */
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
