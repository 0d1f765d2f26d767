import { MAX_AGE_MS } from "../queue/signer.js";
import type { Ending } from "./worker-process.js";

/** How long a run whose process crashed is left alone. */
const AFTER_CRASH_MS = 30_000;
/** How long one that was over is left alone: its coordinator may take a moment to say so. */
const AFTER_END_MS = 5000;
/** How long one that was refused is left alone: what differs may be put right without a new announcement. */
const AFTER_REFUSAL_MS = 60_000;

const PAUSES = {
  refused: AFTER_REFUSAL_MS,
  // Nothing but a new start of the run, or of the worker, gives it another chance.
  dismissed: Number.POSITIVE_INFINITY,
  gaveUp: AFTER_REFUSAL_MS,
  crashed: AFTER_CRASH_MS,
  over: AFTER_END_MS,
} as const;

/** A run as it was announced. */
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

/** What a worker remembers of runs it took part in, or did not: they are not tried again and again. */
export class RunMemory {
  readonly #memories = new Map<string, Memory>();
  /** When the last announcement of a run that is over was signed: somebody may put it back. */
  readonly #lastSigned = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  remember(key: string, { body, signedAt }: Announced, ending: Ending): void {
    this.#memories.set(key, { ending, announcement: body, at: this.#clock() });
    if (ending.kind === "over") this.#lastSigned.set(key, signedAt);
  }

  /** True for a run that is new, or announced anew, or that may go better by now. */
  mayTry(key: string, { body, signedAt }: Announced): boolean {
    if (signedAt <= (this.#lastSigned.get(key) ?? 0)) return false;
    const memory = this.#memories.get(key);
    if (memory === undefined || memory.announcement !== body) return true;
    const age = this.#clock() - memory.at;
    return age >= PAUSES[memory.ending.kind];
  }

  /** Why a run was refused as it is announced now; null when it was not. */
  refusalOf(key: string, { body }: Announced): string | null {
    const memory = this.#memories.get(key);
    return memory?.ending.kind === "refused" && memory.announcement === body ? memory.ending.why : null;
  }

  /** Why this worker takes no part in runs, by their keys. */
  get refusals(): ReadonlyMap<string, string> {
    const kinds: readonly Ending["kind"][] = ["refused", "dismissed"];
    const refused = [...this.#memories].filter(([, { ending }]) => kinds.includes(ending.kind));
    return new Map(refused.map(([key, { ending }]) => [key, ending.why]));
  }

  /** Forgets runs whose coordinators are gone: when one comes back, everything may be different. */
  keepOnly(keys: readonly string[]): void {
    for (const key of this.#memories.keys()) if (!keys.includes(key)) this.#memories.delete(key);
    // Older ones are refused for their age.
    for (const [key, signedAt] of this.#lastSigned)
      if (Date.now() - signedAt > 2 * MAX_AGE_MS) this.#lastSigned.delete(key);
  }

  /** Forgets all but the runs that this worker was told to leave: nothing else that was known of them need be true. */
  doubt(): void {
    for (const [key, { ending }] of this.#memories) if (ending.kind !== "dismissed") this.#memories.delete(key);
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }
}
