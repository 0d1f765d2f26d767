import { setImmediate as turn } from "node:timers/promises";

/** Long enough to get on with the work, short enough for streams of other trials to be read in time. */
const SLICE_MS = 10;

/** Lets everything else of the process go on, now and then, in work that calls the file system synchronously. */
export class Breather {
  #since = performance.now();
  #workedMs = 0;

  /** A promise at the end of a slice of time, to be waited for; null at other times. */
  due(): Promise<void> | null {
    const workedMs = performance.now() - this.#since;
    return workedMs < SLICE_MS ? null : this.#rest(workedMs);
  }

  /** The time that was spent in the work itself. */
  get workedMs(): number {
    return this.#workedMs + (performance.now() - this.#since);
  }

  async #rest(workedMs: number): Promise<void> {
    this.#workedMs += workedMs;
    await turn();
    this.#since = performance.now();
  }
}
