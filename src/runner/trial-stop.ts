import { TrialStopped } from "../core/errors.js";

/** How long a trial that was told to stop may take to do so. */
const GRACE_MS = 2000;

type Reason = TrialStopped["stopped"];

/** Stops one trial: when the run is stopped, when its time is up, when it has cost too much. */
export class TrialStop {
  readonly #controller = new AbortController();
  readonly #run: AbortSignal;
  #reason: Reason | null = null;
  #clock: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #onOverdue: (() => void) | null = null;
  #isOver = false;

  constructor(run: AbortSignal) {
    this.#run = run;
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
    this.#grace = setTimeout(() => this.#onOverdue?.(), GRACE_MS);
  }

  /** Waits for the trial's call, for `hardTimeoutMs` at most; null when it was told to stop and did not. */
  async limit<T>(pending: PromiseLike<T>, hardTimeoutMs: number | null): Promise<T | null> {
    if (hardTimeoutMs !== null) this.#clock = setTimeout(() => this.stop("time_killed"), hardTimeoutMs);
    const overdue = new Promise<null>((resolve) => {
      this.#onOverdue = () => resolve(null);
    });
    try {
      return await Promise.race([pending, overdue]);
    } finally {
      clearTimeout(this.#clock);
    }
  }

  /** Call when the trial is over. */
  release(): void {
    this.#isOver = true;
    clearTimeout(this.#grace);
    this.#run.removeEventListener("abort", this.#onRunStopped);
  }

  readonly #onRunStopped = () => this.#controller.abort(this.#run.reason);
}
