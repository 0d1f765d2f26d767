import { type Example, hasExampleFiles, type Limits, readUserRole, type System } from "../core/index.js";
import type { Trial } from "./admit.js";
import type { AttemptResult } from "./call.js";
import { computeTrialSpend } from "./cost.js";
import type { PromptSize, ReservationRequest, RunBudgetPort, TrialCost, TrialReservation } from "./ports.js";
import type { TokenCounter } from "./record.js";
import type { TrialSettler } from "./trial.js";

/** Records reservations, and their settlement where no row shows it. */
export interface ReservationLog {
  readonly tokens: TokenCounter;
  /** True if the output of a trial is stored and paid for. */
  isStored(trial: Trial): boolean;
  /** Resolves when the reservation would survive a kill. */
  reserve(trial: Trial, reservation: TrialReservation): Promise<void> | void;
  /** Settles a trial whose cost is unknown. */
  settle(trial: Trial, usd: number, why: "lost" | "unknown"): void;
}

/**
 * Reserves budget before each trial. A trial that does not fit waits while running trials may still free budget; when
 * none can, no further trial is started, and running trials finish.
 */
export class BudgetGate implements TrialSettler {
  readonly #budget: RunBudgetPort | null;
  readonly #signal: AbortSignal;
  readonly #book: ReservationLog;
  readonly #held = new Map<number, TrialReservation>();
  #waiting: (() => void)[] = [];

  constructor(budget: RunBudgetPort | null, signal: AbortSignal, book: ReservationLog) {
    this.#budget = budget;
    this.#signal = signal;
    this.#book = book;
    if (budget !== null) signal.addEventListener("abort", this.#wakeAll, { once: true });
  }

  /** Call when the run is finished. */
  release(): void {
    this.#signal.removeEventListener("abort", this.#wakeAll);
  }

  /** Whether a trial may start. Its reservation is recorded before this resolves. */
  async admit(trial: Trial, limits: Limits | null): Promise<boolean> {
    if (this.#budget === null) return true;
    const answer = this.#budget.reserve(toReservationRequest(trial, limits, this.#book));
    if (answer === "wait") return this.#waitForBudget(trial, limits);
    if (answer === "refuse") {
      this.#wakeAll();
      return false;
    }
    this.#held.set(trial.index, answer);
    await this.#book.reserve(trial, answer);
    return true;
  }

  /** Call when a trial is finished, with the cost of scoring it and of its simulated user. */
  settle(trial: Trial, attempted: AttemptResult, judgeCostUsd: number): void {
    if (this.#held.size === 0) return;
    const { isFromCache: wasPaid, wasStored, wasCut } = attempted.call;
    const isTypical = attempted.kind === "returned" && !wasStored && (!wasPaid || judgeCostUsd > 0);
    this.#settle(trial, { costUsd: computeTrialSpend(attempted), judgeCostUsd, isTypical }, wasCut);
  }

  /**
   * Call when a canary is finished. Returns what counts as spent: if its cost is unknown, what was reserved. It says nothing
   * about the cost of trials.
   */
  settleCanary(trial: Trial, costUsd: number | null): number {
    const reservation = this.#held.get(trial.index);
    const spentUsd = costUsd ?? reservation?.reservedUsd ?? 0;
    if (reservation === undefined) return spentUsd;
    this.#held.delete(trial.index);
    this.#budget?.settle(reservation, { costUsd: spentUsd, judgeCostUsd: 0, isTypical: false });
    this.#wakeOne();
    return spentUsd;
  }

  /** Call when an output of another run was graded, with the cost of grading; null if it was interrupted. */
  settleGrading(trial: Trial, judgeCostUsd: number | null): void {
    const costUsd = judgeCostUsd === null ? null : 0;
    this.#settle(trial, { costUsd, judgeCostUsd: judgeCostUsd ?? 0, isTypical: false }, judgeCostUsd === null);
  }

  #settle(trial: Trial, cost: TrialCost, wasCut: boolean): void {
    const reservation = this.#held.get(trial.index);
    if (reservation === undefined) return;
    this.#held.delete(trial.index);
    this.#budget?.settle(reservation, cost);
    if (cost.costUsd === null) this.#book.settle(trial, reservation.reservedUsd, wasCut ? "lost" : "unknown");
    this.#wakeOne();
  }

  /** Describes why trials are waiting; null if none is. */
  waiting(): string | null {
    const { length } = this.#waiting;
    return length === 0 ? null : `${length} waiting for budget reserved by running trials`;
  }

  async #waitForBudget(trial: Trial, limits: Limits | null): Promise<boolean> {
    if (this.#signal.aborted) return false;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    if (this.#signal.aborted) return false;
    const admitted = await this.admit(trial, limits);
    // There may be enough for the next trial too; if not, it waits again and wakes no other.
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

export function toReservationRequest(
  trial: Trial,
  limits: Limits | null,
  book: Pick<ReservationLog, "tokens" | "isStored">,
): ReservationRequest {
  const { system, datasetPlan } = trial;
  const isJudged = datasetPlan.evaluators.some(({ isPaid }) => isPaid === true);
  const prompt = computePromptSize(trial, book.tokens.countInput(trial));
  const judgingCanCost = () => estimateJudgingCost(trial, limits, book.tokens);
  return { system, limits, isJudged, judgingCanCost, isStored: book.isStored(trial), prompt };
}

function estimateJudgingCost({ datasetPlan, example }: Trial, limits: Limits | null, tokens: TokenCounter): number {
  const forecast = { count: tokens.text, answerTokens: limits?.maxOutputTokens ?? null };
  return datasetPlan.evaluators
    .filter(({ isPaid }) => isPaid === true)
    .map((evaluator) => evaluator.estimate?.(example, forecast) ?? { low: null, high: null })
    .reduce((total, { low, high }) => total + (high ?? low ?? 0), 0);
}

/** The input size of an example with this many tokens of text, for a system. */
export function computePromptSize(
  { example, system }: { example: Example; system: Pick<System, "countFileTokens"> },
  textTokens: number,
): PromptSize {
  const { turns = [] } = example;
  const files = hasExampleFiles(example) ? (system.countFileTokens?.(example) ?? null) : 0;
  return {
    tokens: files === null ? null : textTokens + files,
    calls: Math.max(1, readUserRole(example)?.maxTurns ?? 0, turns.filter(({ role }) => role === "user").length),
  };
}
