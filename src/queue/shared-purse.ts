import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { estimateMaxCost, isFreeSystem } from "../budget/price.js";
import { checkAmount, requireRule } from "../budget/rules.js";
import { AssayError } from "../core/errors.js";
import type { Limits } from "../core/price.js";
import type { Trial } from "../runner/admit.js";
import type { AttemptResult, AttemptSuccess } from "../runner/call.js";
import { computeTrialSpend } from "../runner/cost.js";
import { toReservationRequest } from "../runner/purse.js";
import type { TokenCounter } from "../runner/record.js";
import type { TrialSettler } from "../runner/trial.js";
import { deliverResults } from "./deliver.js";
import { retryRedis } from "./insist.js";
import { PollLoop } from "./poll-loop.js";
import { type ReserveAnswer, SharedBudget, type SharedReserveRequest } from "./shared-budget.js";

export interface ReserveQueueOptions {
  redis: Redis;
  /** The name of the run in Redis. */
  key: string;
  signal: AbortSignal;
}

/** The result of a reservation; "gone" if the run is over or the signal was aborted. */
export type ReservationResult = "held" | "refused" | "gone";

interface ReservationWaiter {
  readonly request: SharedReserveRequest;
  readonly resolve: (admission: ReservationResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reserves budget, and retries while other trials may still free some. Trials of one system wait in order; those of
 * another system do not wait behind them.
 */
export class ReserveQueue {
  readonly #options: ReserveQueueOptions;
  readonly #budget: SharedBudget;
  readonly #loop: PollLoop;
  readonly #pending = new Set<ReservationWaiter>();
  /** By system: the waiting trials. Systems without any are omitted. */
  readonly #queues = new Map<string, ReservationWaiter[]>();

  constructor(options: ReserveQueueOptions) {
    this.#options = options;
    this.#budget = new SharedBudget(options.redis, options.key);
    this.#loop = new PollLoop({ ask: () => this.#askQueues(), shortestMs: 20, longestMs: 200 });
  }

  /** Number of waiting trials. */
  get length(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.length;
    return count;
  }

  /** Waits until the budget is reserved or refused. */
  reserve(request: SharedReserveRequest): Promise<ReservationResult> {
    if (this.#options.signal.aborted) return Promise.resolve("gone");
    return new Promise((resolve, reject) => {
      const waiter = { request, resolve, reject };
      this.#watch(waiter);
      if (this.#queues.has(request.kind)) this.#enqueue(waiter);
      else void this.#ask(waiter).then((answer) => answer === "wait" && this.#enqueue(waiter));
    });
  }

  /** Call when budget may have been freed: asks at once. */
  wake(): void {
    if (this.#queues.size > 0) this.#loop.wake();
  }

  /** Listens only while trials wait, so that no listener is left when the run is over. */
  #watch(waiter: ReservationWaiter): void {
    if (this.#pending.size === 0) this.#options.signal.addEventListener("abort", this.#onAbort);
    this.#pending.add(waiter);
  }

  #enqueue(waiter: ReservationWaiter): void {
    if (!this.#pending.has(waiter)) return;
    const queue = this.#queues.get(waiter.request.kind);
    if (queue === undefined) this.#queues.set(waiter.request.kind, [waiter]);
    else queue.push(waiter);
    this.#loop.start();
  }

  /** Asks for the first trial of every system: the budget may suffice for one and not for another. */
  async #askQueues(): Promise<number | null> {
    await Promise.all(Array.from(this.#queues.keys(), (kind) => this.#askQueue(kind)));
    return this.#queues.size === 0 ? null : 0;
  }

  async #askQueue(kind: string): Promise<void> {
    for (let first = this.#getFirst(kind); first !== undefined; first = this.#getFirst(kind))
      if ((await this.#ask(first)) === "wait") return;
  }

  #getFirst(kind: string): ReservationWaiter | undefined {
    return this.#queues.get(kind)?.[0];
  }

  async #ask(waiter: ReservationWaiter): Promise<ReserveAnswer> {
    try {
      const answer = await this.#budget.reserve(waiter.request);
      if (answer === "held") this.#admit(waiter);
      const all = [waiter, ...Array.from(this.#queues.values()).flat()];
      if (answer === "refuse") this.#resolveAll(all, "refused");
      if (answer === "gone") this.#resolveAll(all, "gone");
      return answer;
    } catch (error) {
      // Temporary errors of Redis are retried, unless the connection was closed.
      if (this.#options.redis.status !== "end" && !(error instanceof AssayError)) return "wait";
      if (this.#remove(waiter)) waiter.reject(error);
      return "refuse";
    }
  }

  #admit(waiter: ReservationWaiter): void {
    if (this.#remove(waiter)) waiter.resolve("held");
    else this.#returnReservation(waiter.request);
  }

  #resolveAll(waiters: Iterable<ReservationWaiter>, admission: ReservationResult): void {
    for (const waiter of waiters) if (this.#remove(waiter)) waiter.resolve(admission);
  }

  /** Returns false if the waiter was already resolved. */
  #remove(waiter: ReservationWaiter): boolean {
    if (!this.#pending.delete(waiter)) return false;
    const { kind } = waiter.request;
    const rest = this.#queues.get(kind)?.filter((each) => each !== waiter) ?? [];
    if (rest.length === 0) this.#queues.delete(kind);
    else this.#queues.set(kind, rest);
    if (this.#pending.size === 0) this.#stop();
    return true;
  }

  #stop(): void {
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#loop.stop();
  }

  readonly #onAbort = () => this.#resolveAll([...this.#pending], "gone");

  /** The reservation came after the trial was given up. If Redis cannot be reached, the end of the lease frees it. */
  #returnReservation({ trial, token }: SharedReserveRequest): void {
    const settlement = { trial, token, costUsd: 0, judgeCostUsd: 0, isTypical: false };
    const { redis, key } = this.#options;
    const parcel = { data: Buffer.alloc(0), trials: [], settlements: [settlement] };
    retryRedis(() => deliverResults(redis, key, parcel)).catch(() => {});
  }
}

export interface SharedBudgetGateOptions {
  redis: Redis;
  /** The name of the run in Redis. */
  key: string;
  worker: string;
  /** False for a run without a budget: every trial may start without asking Redis. */
  hasBudget: boolean;
  signal: AbortSignal;
  /** Counts input tokens. */
  tokens: TokenCounter;
  /** True if the output of a trial is stored and only graded. */
  isStored: (trial: Trial) => boolean;
}

/** The cost of a trial, settled together with its delivery. */
export interface CostSettlement {
  /** The index of the trial in the plan. */
  trial: number;
  /** The token of its reservation. */
  token: string;
  /** Null if unknown. */
  costUsd: number | null;
  /** The cost of scoring. */
  judgeCostUsd: number;
  /** False if the trial failed or was not run: then it says nothing about the cost of other trials. */
  isTypical: boolean;
  /** False if only its system is settled, because it is still being graded. Omitted when it is finished. */
  isGraded?: boolean;
}

/**
 * Reserves from the budget that all workers of a run share before each trial, and keeps the cost of trials until they are
 * delivered.
 * @example
 * const gate = new SharedBudgetGate({ redis, key, worker, hasBudget: true, signal });
 * if ((await gate.admit(trial, limits)) === "held") await runner.run(trial);
 */
export class SharedBudgetGate implements TrialSettler {
  readonly #options: SharedBudgetGateOptions;
  readonly #queue: ReserveQueue;
  /** Tokens by trial; several if this worker was given a trial again while running it. */
  readonly #held = new Map<number, string[]>();
  readonly #settled = new Map<number, CostSettlement[]>();

  constructor(options: SharedBudgetGateOptions) {
    this.#options = options;
    this.#queue = new ReserveQueue(options);
  }

  /** Whether a trial may start. Waits while other trials hold the budget. */
  admit(trial: Trial, limits: Limits | null): ReservationResult | Promise<ReservationResult> {
    return this.#options.hasBudget ? this.#reserve(trial, this.#createRequest(trial, limits)) : "held";
  }

  /** Call when a trial is finished, with the cost of scoring it. */
  settle(trial: Trial, attempted: AttemptResult, judgeCostUsd: number): void {
    const token = takeFirst(this.#held, trial.index);
    if (token === null) return;
    const { isFromCache: wasPaid, wasStored } = attempted.call;
    const costUsd = computeTrialSpend(attempted);
    requireRule("costUsd", costUsd ?? 0, checkAmount);
    requireRule("judgeCostUsd", judgeCostUsd, checkAmount);
    const isTypical = attempted.kind === "returned" && !wasStored && (!wasPaid || judgeCostUsd > 0);
    appendToList(this.#settled, trial.index, { trial: trial.index, token, costUsd, judgeCostUsd, isTypical });
    this.#queue.wake();
  }

  /** The settlement of a trial's system, sent with its output; null if nothing was reserved. */
  createOutputSettlement(index: number, returned: AttemptSuccess): CostSettlement | null {
    const token = this.#held.get(index)?.[0];
    if (token === undefined) return null;
    const costUsd = computeTrialSpend(returned);
    requireRule("costUsd", costUsd ?? 0, checkAmount);
    return { trial: index, token, costUsd, judgeCostUsd: 0, isTypical: false, isGraded: false };
  }

  /** The settlement to send with the result of a trial; null if nothing was reserved. */
  takeSettlement(index: number): CostSettlement | null {
    const settlement = takeFirst(this.#settled, index);
    // Budget is about to be freed, so waiting trials ask more often again.
    if (settlement !== null) this.#queue.wake();
    return settlement;
  }

  /** Describes why trials are waiting; null if none is. */
  waiting(): string | null {
    const { length } = this.#queue;
    return length === 0 ? null : `${length} waiting for budget reserved by running trials`;
  }

  async #reserve({ index }: Trial, request: SharedReserveRequest): Promise<ReservationResult> {
    const admission = await this.#queue.reserve(request);
    if (admission === "held") appendToList(this.#held, index, request.token);
    return admission;
  }

  #createRequest(trial: Trial, limits: Limits | null): SharedReserveRequest {
    const { index, system } = trial;
    const { isJudged, isStored, prompt } = toReservationRequest(trial, limits, this.#options);
    const isCostless = isFreeSystem(system, limits);
    return {
      token: randomUUID(),
      worker: this.#options.worker,
      trial: index,
      kind: system.name,
      maxCostUsd: limits?.maxCostUsd ?? null,
      canCostUsd: isCostless ? null : (estimateMaxCost(limits, prompt)?.usd ?? null),
      isJudged,
      isFree: isCostless,
      isStored,
    };
  }
}

function appendToList<T>(lists: Map<number, T[]>, index: number, item: T): void {
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
