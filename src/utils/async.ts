import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/**
 * Limits concurrency; further tasks wait in order.
 * @example
 * const limit = new ConcurrencyLimit(4);
 * await Promise.all(urls.map((url) => limit.run(() => load(url), signal)));
 */
export class ConcurrencyLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs the work when a slot is free. Rejects with the signal's reason if it is aborted before that. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#waitForSlot(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      this.#waiting.push(start);
      if (signal === undefined) return;
      // One signal serves a whole run: many listeners are not a leak.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}

export interface RetryState {
  readonly failed: number;
  readonly waitedMs: number;
}

interface RetryOptions {
  /** Milliseconds to wait before retrying; null to rethrow the error. */
  readonly waitAfter: (error: unknown, tries: RetryState) => number | null;
  /** Aborts the wait and throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Waits for the delay. Default: a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * Runs the work and retries it as long as `waitAfter` returns a delay.
 * @example
 * await retry(() => save(row), { waitAfter: (_, { failed }) => (failed < 3 ? 100 * 2 ** failed : null) });
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { waitAfter, signal, sleep = waitForRetry } = options;
  let waitedMs = 0;
  for (let failed = 1; ; failed++) {
    try {
      return await work();
    } catch (error) {
      const ms = waitAfter(error, { failed, waitedMs });
      if (ms === null) throw error;
      waitedMs += ms;
      await sleep(ms, signal);
    }
  }
}

async function waitForRetry(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw signal?.reason;
  }
}
