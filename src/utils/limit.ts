import { setMaxListeners } from "node:events";

/**
 * Lets only so many pieces of work run at a time; the others wait, first come, first served.
 * @example
 * const limit = new Limit(4);
 * await Promise.all(urls.map((url) => limit.run(() => load(url), signal)));
 */
export class Limit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Does the work when there is a place. Rejects with the reason of the signal when it is aborted before that. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
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
      // One signal stands for a whole run: that many wait on it is no leak.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
