import { setMaxListeners } from "node:events";

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
