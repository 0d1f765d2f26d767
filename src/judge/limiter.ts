import { setMaxListeners } from "node:events";

/** Lets only so many pieces of work run at a time; the others wait for their turn. */
export class Limiter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn(signal))) throw signal.reason;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** True when it is one's turn, false when the signal came first. */
  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        resolve(false);
      };
      const admit = () => {
        signal.removeEventListener("abort", onAbort);
        resolve(true);
      };
      // One signal stands for a whole run: that many wait on it is no leak.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(admit);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
