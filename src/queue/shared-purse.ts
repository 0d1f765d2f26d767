import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { canCost } from "../budget/can-cost.js";
import { isFree } from "../budget/is-free.js";
import { amount, requireRule } from "../budget/rules.js";
import type { Limits } from "../core/price.js";
import type { Trial } from "../runner/admit.js";
import { spentOn } from "../runner/billed.js";
import type { Attempted } from "../runner/call.js";
import { wantedFor } from "../runner/purse.js";
import type { TokenCounter } from "../runner/record.js";
import type { TrialPurse } from "../runner/trial-chain.js";
import { type Admission, ReserveQueue } from "./reserve-queue.js";
import type { ReserveRequest } from "./shared-budget.js";

export interface SharedPurseOptions {
  redis: Redis;
  /** What the run is called in Redis. */
  key: string;
  worker: string;
  /** False for a run without a budget: every trial may start, and Redis is not asked. */
  hasBudget: boolean;
  signal: AbortSignal;
  /** Counts what systems are given. */
  tokens: TokenCounter;
}

/** What a trial has cost, to be settled together with its delivery. */
export interface Settlement {
  /** The place of the trial in the plan. */
  trial: number;
  /** Of its reservation. */
  token: string;
  /** Null when nobody knows. */
  costUsd: number | null;
  /** What scoring it has cost. */
  judgeCostUsd: number;
  /** False when it failed, or was not run at all: then it says nothing about what others will cost. */
  isTypical: boolean;
}

/**
 * Asks the budget that all workers of a run share before each trial, and keeps what trials have cost until they are
 * delivered.
 * @example
 * const purse = new SharedPurse({ redis, key, worker, hasBudget: true, signal });
 * if ((await purse.admits(trial, limits)) === "held") await chain.run(trial);
 */
export class SharedPurse implements TrialPurse {
  readonly #options: SharedPurseOptions;
  readonly #queue: ReserveQueue;
  /** Tokens by trial; more than one when a trial was given to this worker again while it runs it. */
  readonly #held = new Map<number, string[]>();
  readonly #settled = new Map<number, Settlement[]>();

  constructor(options: SharedPurseOptions) {
    this.#options = options;
    this.#queue = new ReserveQueue(options);
  }

  /** Whether a trial may start. It waits while others hold the money. */
  admits(trial: Trial, limits: Limits | null): Admission | Promise<Admission> {
    return this.#options.hasBudget ? this.#hold(trial, this.#requestOf(trial, limits)) : "held";
  }

  /** Call when a trial is over, with what scoring it has cost. */
  settle(trial: Trial, attempted: Attempted, judgeCostUsd: number): void {
    const token = takeFirst(this.#held, trial.index);
    if (token === null) return;
    const costUsd = spentOn(attempted);
    requireRule("costUsd", costUsd ?? 0, amount);
    requireRule("judgeCostUsd", judgeCostUsd, amount);
    const isTypical = attempted.kind === "returned" && (!attempted.call.wasPaid || judgeCostUsd > 0);
    append(this.#settled, trial.index, { trial: trial.index, token, costUsd, judgeCostUsd, isTypical });
    this.#queue.wake();
  }

  /** What is to be settled together with the delivery of a trial; null when nothing was reserved. */
  take(index: number): Settlement | null {
    const settlement = takeFirst(this.#settled, index);
    // It is about to be delivered: those that wait ask often again.
    if (settlement !== null) this.#queue.wake();
    return settlement;
  }

  /** Why trials are waiting, in words; null when none is. */
  waiting(): string | null {
    const { length } = this.#queue;
    return length === 0 ? null : `${length} waiting for money that other trials hold`;
  }

  async #hold({ index }: Trial, request: ReserveRequest): Promise<Admission> {
    const admission = await this.#queue.hold(request);
    if (admission === "held") append(this.#held, index, request.token);
    return admission;
  }

  #requestOf(trial: Trial, limits: Limits | null): ReserveRequest {
    const { index, system } = trial;
    const { isJudged, prompt } = wantedFor(trial, limits, { tokens: this.#options.tokens, isStored: () => false });
    const isCostless = isFree(system, limits);
    return {
      token: randomUUID(),
      worker: this.#options.worker,
      trial: index,
      kind: system.name,
      maxCostUsd: limits?.maxCostUsd ?? null,
      canCostUsd: isCostless ? null : (canCost(limits, prompt)?.usd ?? null),
      isJudged,
      isFree: isCostless,
    };
  }
}

function append<T>(lists: Map<number, T[]>, index: number, item: T): void {
  const list = lists.get(index);
  if (list === undefined) lists.set(index, [item]);
  else list.push(item);
}

function takeFirst<T>(lists: Map<number, T[]>, index: number): T | null {
  const list = lists.get(index);
  const first = list?.shift() ?? null;
  if (list?.length === 0) lists.delete(index);
  return first;
}
