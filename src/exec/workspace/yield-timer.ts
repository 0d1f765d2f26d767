import { setImmediate as turn } from "node:timers/promises";

/** Long enough to make progress, short enough for other trials' streams to be read in time. */
const SLICE_MS = 10;

/** Yields to the event loop now and then during synchronous file system calls. */
export class YieldTimer {
  #since = performance.now();
  #workedMs = 0;

  /** Returns a promise to await at the end of a time slice; null at other times. */
  yieldIfDue(): Promise<void> | null {
    const workedMs = performance.now() - this.#since;
    return workedMs < SLICE_MS ? null : this.#yield(workedMs);
  }

  /** Time spent working, without the pauses. */
  get workedMs(): number {
    return this.#workedMs + (performance.now() - this.#since);
  }

  async #yield(workedMs: number): Promise<void> {
    this.#workedMs += workedMs;
    await turn();
    this.#since = performance.now();
  }
}
