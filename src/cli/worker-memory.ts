import { MAX_AGE_MS } from "../queue/signer.js";
import type { Ending } from "./worker-process.js";

/** Delay before retrying a run whose process crashed. */
const AFTER_CRASH_MS = 30_000;
/** Delay before rejoining a run that was over: its coordinator may take a moment to say so. */
const AFTER_END_MS = 5000;
/** Delay before retrying a refused run: the difference may be fixed without a new announcement. */
const AFTER_REFUSAL_MS = 60_000;

const PAUSES = {
  refused: AFTER_REFUSAL_MS,
  // Retried only after a restart of the run or of the worker.
  dismissed: Number.POSITIVE_INFINITY,
  gaveUp: AFTER_REFUSAL_MS,
  crashed: AFTER_CRASH_MS,
  over: AFTER_END_MS,
} as const;

export interface Announced {
  readonly body: string;
  /** By the clock of the run, in milliseconds. */
  readonly signedAt: number;
}

interface Memory {
  readonly ending: Ending;
  readonly announcement: string;
  readonly at: number;
}

/** Remembers how runs ended, so that a worker does not retry them all the time. */
export class RunMemory {
  readonly #memories = new Map<string, Memory>();
  /** When the last announcement of a finished run was signed, to detect a replayed one. */
  readonly #lastSigned = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  remember(key: string, { body, signedAt }: Announced, ending: Ending): void {
    this.#memories.set(key, { ending, announcement: body, at: this.#clock() });
    if (ending.kind === "over") this.#lastSigned.set(key, signedAt);
  }

  /** True for a run that is new, announced again, or due for a retry. */
  mayTry(key: string, { body, signedAt }: Announced): boolean {
    if (signedAt <= (this.#lastSigned.get(key) ?? 0)) return false;
    const memory = this.#memories.get(key);
    if (memory === undefined || memory.announcement !== body) return true;
    const age = this.#clock() - memory.at;
    return age >= PAUSES[memory.ending.kind];
  }

  /** Why the current announcement was refused; null if it was not. */
  refusalOf(key: string, { body }: Announced): string | null {
    const memory = this.#memories.get(key);
    return memory?.ending.kind === "refused" && memory.announcement === body ? memory.ending.why : null;
  }

  /** Reasons for not joining, by run key. */
  get refusals(): ReadonlyMap<string, string> {
    const kinds: readonly Ending["kind"][] = ["refused", "dismissed"];
    const refused = [...this.#memories].filter(([, { ending }]) => kinds.includes(ending.kind));
    return new Map(refused.map(([key, { ending }]) => [key, ending.why]));
  }

  /** Forgets runs whose coordinators are gone: if one comes back, everything may be different. */
  keepOnly(keys: readonly string[]): void {
    for (const key of this.#memories.keys()) if (!keys.includes(key)) this.#memories.delete(key);
    // Older ones are rejected by age.
    for (const [key, signedAt] of this.#lastSigned)
      if (Date.now() - signedAt > 2 * MAX_AGE_MS) this.#lastSigned.delete(key);
  }

  /** Forgets all runs except those this worker was dismissed from, since the rest may have changed. */
  doubt(): void {
    for (const [key, { ending }] of this.#memories) if (ending.kind !== "dismissed") this.#memories.delete(key);
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }
}
