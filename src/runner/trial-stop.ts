import { TrialStopped } from "../core/errors.js";

/** How long a trial that was told to stop may take to do so, unless its system says otherwise. */
export const GRACE_MS = 2000;

/** Node's timers take no more, and fire at once when they are given more. */
const LONGEST_TIMER = 2 ** 31 - 1;

type Reason = TrialStopped["stopped"];

/** Stops one trial: when the run is stopped, when its time is up, when it has cost too much. */
export class TrialStop {
  readonly #controller = new AbortController();
  readonly #run: AbortSignal;
  readonly #graceMs: number;
  #reason: Reason | null = null;
  #clock: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #onOverdue: (() => void) | null = null;
  #isOver = false;

  constructor(run: AbortSignal, graceMs = GRACE_MS) {
    this.#run = run;
    this.#graceMs = graceMs;
    if (run.aborted) this.#controller.abort(run.reason);
    else run.addEventListener("abort", this.#onRunStopped, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the trial itself was stopped; null when it was not. */
  get reason(): Reason | null {
    return this.#reason;
  }

  stop(reason: Reason): void {
    if (this.signal.aborted || this.#isOver) return;
    this.#reason = reason;
    this.#controller.abort(new TrialStopped(reason));
    this.#grace = setTimeout(() => this.#onOverdue?.(), this.#graceMs);
  }

  /** Waits for the trial's call, for `ms` at most; `overdue` speaks for one that was told to stop and does not. */
  async limit<T>(pending: PromiseLike<T>, { ms, overdue }: { ms: number | null; overdue: () => T }): Promise<T> {
    this.startClock(ms);
    const late = new Promise<T>((resolve) => {
      this.#onOverdue = () => resolve(overdue());
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      this.stopClock();
    }
  }

  /** From now on the trial may take this long. */
  startClock(ms: number | null): void {
    if (ms !== null) this.#clock = setTimeout(() => this.stop("time_killed"), Math.min(ms, LONGEST_TIMER));
  }

  stopClock(): void {
    clearTimeout(this.#clock);
  }

  /** Call when the trial is over. */
  release(): void {
    this.#isOver = true;
    clearTimeout(this.#grace);
    this.#run.removeEventListener("abort", this.#onRunStopped);
  }

  readonly #onRunStopped = () => {
    clearTimeout(this.#clock);
    this.#controller.abort(this.#run.reason);
  };
}
