import type { Limits } from "../core/price.js";
import type { Trial } from "./admit.js";
import { spentOn } from "./billed.js";
import type { Attempted } from "./call.js";
import type { Reservation, RunBudgetPort } from "./ports.js";
import type { TrialPurse } from "./trial-chain.js";

/**
 * Asks the budget of the run before each trial. A trial that does not fit waits while others may still give money back;
 * when none can, no trial is started any more, and those under way go on to their end.
 */
export class Purse implements TrialPurse {
  readonly #budget: RunBudgetPort | null;
  readonly #signal: AbortSignal;
  readonly #held = new Map<number, Reservation>();
  #waiting: (() => void)[] = [];

  constructor(budget: RunBudgetPort | null, signal: AbortSignal) {
    this.#budget = budget;
    this.#signal = signal;
    if (budget !== null) signal.addEventListener("abort", this.#wakeAll, { once: true });
  }

  /** Call when the run is over. */
  release(): void {
    this.#signal.removeEventListener("abort", this.#wakeAll);
  }

  /** Whether a trial may start. */
  async admits(trial: Trial, limits: Limits | null): Promise<boolean> {
    if (this.#budget === null) return true;
    const answer = this.#budget.reserve(trial.system, limits, isJudged(trial));
    if (answer === "wait") return this.#waitFor(trial, limits);
    if (answer === "refuse") {
      this.#wakeAll();
      return false;
    }
    this.#held.set(trial.index, answer);
    return true;
  }

  /** Call when a trial is over, with what scoring it has cost. */
  settle(trial: Trial, attempted: Attempted, judgeCostUsd: number): void {
    if (this.#held.size === 0) return;
    const reservation = this.#held.get(trial.index);
    if (reservation === undefined) return;
    this.#held.delete(trial.index);
    const isTypical = attempted.kind === "returned" && (!attempted.call.wasPaid || judgeCostUsd > 0);
    this.#budget?.settle(reservation, { costUsd: spentOn(attempted), judgeCostUsd, isTypical });
    this.#wakeOne();
  }

  /** Why trials are waiting, in words; null when none is. */
  waiting(): string | null {
    const { length } = this.#waiting;
    return length === 0 ? null : `${length} waiting for money that other trials hold`;
  }

  async #waitFor(trial: Trial, limits: Limits | null): Promise<boolean> {
    if (this.#signal.aborted) return false;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    if (this.#signal.aborted) return false;
    const admitted = await this.admits(trial, limits);
    // There may be enough for the next one too; if not, it waits again, and wakes nobody.
    if (admitted) this.#wakeOne();
    return admitted;
  }

  #wakeOne(): void {
    this.#waiting.shift()?.();
  }

  readonly #wakeAll = () => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  };
}

/** True when an evaluator of the trial says that it asks models. */
export function isJudged({ wiring }: Trial): boolean {
  return wiring.evaluators.some(({ isPaid }) => isPaid === true);
}
