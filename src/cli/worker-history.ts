import { MAX_ANNOUNCEMENT_AGE_MS } from "../queue/index.js";
import type { ProcessEnding } from "./worker-process.js";

/** Delay before retrying a run whose process crashed. */
const AFTER_CRASH_MS = 30_000;
/** Delay before rejoining a run that was over: its coordinator may take a moment to say so. */
const AFTER_END_MS = 5000;
/** Delay before retrying a refused run: the difference may be fixed without a new announcement. */
const AFTER_REFUSAL_MS = 60_000;

const RETRY_DELAYS_MS = {
  refused: AFTER_REFUSAL_MS,
  // Retried only after a restart of the run or of the worker.
  dismissed: Number.POSITIVE_INFINITY,
  gaveUp: AFTER_REFUSAL_MS,
  crashed: AFTER_CRASH_MS,
  over: AFTER_END_MS,
} as const;

export interface AnnouncedRun {
  readonly body: string;
  /** By the clock of the run, in milliseconds. */
  readonly signedAt: number;
}

interface RememberedEnding {
  readonly ending: ProcessEnding;
  readonly announcement: string;
  readonly at: number;
}

/** Remembers how runs ended, so that a worker does not retry them all the time. */
export class WorkerRunHistory {
  readonly #memories = new Map<string, RememberedEnding>();
  /** When the last announcement of a finished run was signed, to detect a replayed one. */
  readonly #lastSigned = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  record(key: string, { body, signedAt }: AnnouncedRun, ending: ProcessEnding): void {
    this.#memories.set(key, { ending, announcement: body, at: this.#clock() });
    if (ending.kind === "over") this.#lastSigned.set(key, signedAt);
  }

  /** True for a run that is new, announced again, or due for a retry. */
  canTry(key: string, { body, signedAt }: AnnouncedRun): boolean {
    if (signedAt <= (this.#lastSigned.get(key) ?? 0)) return false;
    const memory = this.#memories.get(key);
    if (memory === undefined || memory.announcement !== body) return true;
    const age = this.#clock() - memory.at;
    return age >= RETRY_DELAYS_MS[memory.ending.kind];
  }

  /** Why the current announcement was refused; null if it was not. */
  findRefusal(key: string, { body }: AnnouncedRun): string | null {
    const memory = this.#memories.get(key);
    return memory?.ending.kind === "refused" && memory.announcement === body ? memory.ending.why : null;
  }

  /** Reasons for not joining, by run key. */
  get refusals(): ReadonlyMap<string, string> {
    const kinds: readonly ProcessEnding["kind"][] = ["refused", "dismissed"];
    const refused = [...this.#memories].filter(([, { ending }]) => kinds.includes(ending.kind));
    return new Map(refused.map(([key, { ending }]) => [key, ending.why]));
  }

  /** Forgets runs whose coordinators are gone: if one comes back, everything may be different. */
  retain(keys: readonly string[]): void {
    for (const key of this.#memories.keys()) if (!keys.includes(key)) this.#memories.delete(key);
    // Older ones are rejected by age.
    for (const [key, signedAt] of this.#lastSigned)
      if (Date.now() - signedAt > 2 * MAX_ANNOUNCEMENT_AGE_MS) this.#lastSigned.delete(key);
  }

  /** Forgets all runs except those this worker was dismissed from, since the rest may have changed. */
  retryAll(): void {
    for (const [key, { ending }] of this.#memories) if (ending.kind !== "dismissed") this.#memories.delete(key);
  }

  remove(key: string): void {
    this.#memories.delete(key);
  }
}
