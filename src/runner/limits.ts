import { type Limits, TrialStopped } from "../core/index.js";
import type { Trial } from "./admit.js";
import { openCall, roundToMicroseconds, type SystemCall } from "./call.js";
import type { ChainPorts } from "./ports.js";

export interface LimitedCallOptions {
  trial: Trial;
  seed: number;
  limits: Limits | null;
  ports: ChainPorts;
  warnings: BudgetWarnings;
}

/** Opens the call of a trial with its budget, and with the means to stop it when the budget or its time is used up. */
export function openLimitedCall({ trial, seed, limits, ports, warnings }: LimitedCallOptions): SystemCall {
  const { signal, budget } = ports;
  const { system } = trial;
  const call = limits === null ? openCall({ trial, seed, signal, budget: null, stop: null }) : openWithStopper();
  if (system.worksInPhases === true) addPhases(call, limits, ports);
  return call;

  function openWithStopper(): SystemCall {
    const stop = new TrialStopper(signal, system.graceMs);
    const bill = budget.open(limits as Limits, {
      onExceeded: () => stop.stop("cost_killed"),
      onShare: (share) => warnings.raise(trial, share),
    });
    return openCall({ trial, seed, signal: stop.signal, budget: bill, stop });
  }
}

/** Lets a system that works in phases say which part of its time counts, and what to do at the end of the trial. */
function addPhases(call: SystemCall, limits: Limits | null, ports: ChainPorts): void {
  call.context.atEnd = (task) => {
    call.atEnd = [...(call.atEnd ?? []), task];
  };
  call.context.timed = async (work) => {
    const start = ports.clock();
    call.stop?.startClock(computeRemainingMs(limits, call));
    try {
      return await work();
    } finally {
      call.stop?.stopClock();
      call.workMs = roundToMicroseconds((call.workMs ?? 0) + ports.clock() - start);
    }
  };
}

/** Time left for a trial inside its system, over all its calls. */
export function computeRemainingMs(limits: Limits | null, { insideMs, workMs }: SystemCall): number | null {
  const max = limits?.hardTimeoutMs ?? null;
  return max === null ? null : Math.max(1, max - insideMs - (workMs ?? 0));
}

/** How long a stopped trial may take to end. Systems can override it with `graceMs`. */
export const DEFAULT_GRACE_MS = 2000;

/** Node's timers fire at once for longer delays. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type TrialStopReason = TrialStopped["stopped"];

/** Stops one trial when the run is stopped, its time is up, or its budget is exceeded. */
export class TrialStopper {
  readonly #controller = new AbortController();
  readonly #run: AbortSignal;
  readonly #graceMs: number;
  #reason: TrialStopReason | null = null;
  #clock: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #onOverdue: (() => void) | null = null;
  #isOver = false;

  constructor(run: AbortSignal, graceMs = DEFAULT_GRACE_MS) {
    this.#run = run;
    this.#graceMs = graceMs;
    if (run.aborted) this.#controller.abort(run.reason);
    else run.addEventListener("abort", this.#onRunStopped, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why this trial was stopped; null if it was not. */
  get reason(): TrialStopReason | null {
    return this.#reason;
  }

  stop(reason: TrialStopReason): void {
    if (this.signal.aborted || this.#isOver) return;
    this.#reason = reason;
    this.#controller.abort(new TrialStopped(reason));
    this.#grace = setTimeout(() => this.#onOverdue?.(), this.#graceMs);
  }

  /** Waits up to `ms` for the call of the trial. `overdue` gives the result of a call that ignores the stop. */
  async waitWithLimit<T>(
    pending: PromiseLike<T>,
    { ms, overdue }: { ms: number | null; overdue: () => T },
  ): Promise<T> {
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

  /** Starts the time limit of the trial. */
  startClock(ms: number | null): void {
    if (ms !== null) this.#clock = setTimeout(() => this.stop("time_killed"), Math.min(ms, MAX_TIMER_MS));
  }

  stopClock(): void {
    clearTimeout(this.#clock);
  }

  /** Call when the trial is finished. */
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

/** Running trials that have used most of their budget. */
export class BudgetWarnings {
  readonly #shares = new Map<Trial, number>();
  readonly #onChange: (warning: string | null) => void;

  constructor(onChange: (warning: string | null) => void) {
    this.#onChange = onChange;
  }

  /** Records that a trial has exceeded this share of its limit. */
  raise(trial: Trial, share: number): void {
    this.#shares.set(trial, share);
    this.#onChange(this.#formatWarning());
  }

  clear(trial: Trial): void {
    if (this.#shares.delete(trial)) this.#onChange(this.#formatWarning());
  }

  #formatWarning(): string | null {
    const highest = [...this.#shares].sort(([, a], [, b]) => b - a)[0];
    if (highest === undefined) return null;
    const [{ system, example }, share] = highest;
    const others = this.#shares.size - 1;
    const more = others === 0 ? "" : ` (and ${others} more near their limits)`;
    return `${system.name} on ${example.id} is over ${share * 100} % of its budget${more}`;
  }
}
