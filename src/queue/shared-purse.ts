import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { canCost, isFree } from "../budget/price.js";
import { amount, requireRule } from "../budget/rules.js";
import { AssayError } from "../core/errors.js";
import type { Limits } from "../core/price.js";
import type { Trial } from "../runner/admit.js";
import type { Attempted, Returned } from "../runner/call.js";
import { spentOn } from "../runner/cost.js";
import { wantedFor } from "../runner/purse.js";
import type { TokenCounter } from "../runner/record.js";
import type { TrialPurse } from "../runner/trial.js";
import { deliver } from "./deliver.js";
import { insist } from "./insist.js";
import { PollLoop } from "./poll-loop.js";
import { type ReserveAnswer, type ReserveRequest, SharedBudget } from "./shared-budget.js";

export interface ReserveQueueOptions {
  redis: Redis;
  /** What the run is called in Redis. */
  key: string;
  signal: AbortSignal;
}

/** What becomes of a trial: "gone" when nobody wants it any more, because its run is over or the signal was aborted. */
export type Admission = "held" | "refused" | "gone";

/** A trial that has no final answer yet. */
interface Waiter {
  readonly request: ReserveRequest;
  readonly resolve: (admission: Admission) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks the budget of a run for money, and asks again while others may give some back. Trials of one system wait in the
 * order they came; those of another do not wait behind them.
 */
export class ReserveQueue {
  readonly #options: ReserveQueueOptions;
  readonly #budget: SharedBudget;
  readonly #loop: PollLoop;
  readonly #pending = new Set<Waiter>();
  /** By system: those that were told to wait. A system that has none is not in it. */
  readonly #queues = new Map<string, Waiter[]>();

  constructor(options: ReserveQueueOptions) {
    this.#options = options;
    this.#budget = new SharedBudget(options.redis, options.key);
    this.#loop = new PollLoop({ ask: () => this.#askQueues(), shortestMs: 20, longestMs: 200 });
  }

  /** Trials that were told to wait. */
  get length(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.length;
    return count;
  }

  /** Whether the money is held, sooner or later. */
  hold(request: ReserveRequest): Promise<Admission> {
    if (this.#options.signal.aborted) return Promise.resolve("gone");
    return new Promise((resolve, reject) => {
      const waiter = { request, resolve, reject };
      this.#watch(waiter);
      if (this.#queues.has(request.kind)) this.#enqueue(waiter);
      else void this.#ask(waiter).then((answer) => answer === "wait" && this.#enqueue(waiter));
    });
  }

  /** Call when there may be money: asks at once. */
  wake(): void {
    if (this.#queues.size > 0) this.#loop.wake();
  }

  /** Listens only while somebody waits, so that nothing is left behind when the run is over. */
  #watch(waiter: Waiter): void {
    if (this.#pending.size === 0) this.#options.signal.addEventListener("abort", this.#onAbort);
    this.#pending.add(waiter);
  }

  #enqueue(waiter: Waiter): void {
    if (!this.#pending.has(waiter)) return;
    const queue = this.#queues.get(waiter.request.kind);
    if (queue === undefined) this.#queues.set(waiter.request.kind, [waiter]);
    else queue.push(waiter);
    this.#loop.start();
  }

  /** The first of every system: the money may do for one and not for another. */
  async #askQueues(): Promise<number | null> {
    await Promise.all(Array.from(this.#queues.keys(), (kind) => this.#askQueue(kind)));
    return this.#queues.size === 0 ? null : 0;
  }

  async #askQueue(kind: string): Promise<void> {
    for (let first = this.#firstOf(kind); first !== undefined; first = this.#firstOf(kind))
      if ((await this.#ask(first)) === "wait") return;
  }

  #firstOf(kind: string): Waiter | undefined {
    return this.#queues.get(kind)?.[0];
  }

  async #ask(waiter: Waiter): Promise<ReserveAnswer> {
    try {
      const answer = await this.#budget.reserve(waiter.request);
      if (answer === "held") this.#admit(waiter);
      const all = [waiter, ...Array.from(this.#queues.values()).flat()];
      if (answer === "refuse") this.#dismiss(all, "refused");
      if (answer === "gone") this.#dismiss(all, "gone");
      return answer;
    } catch (error) {
      // What Redis could not do just now it may do later, unless the connection was closed for good.
      if (this.#options.redis.status !== "end" && !(error instanceof AssayError)) return "wait";
      if (this.#forget(waiter)) waiter.reject(error);
      return "refuse";
    }
  }

  #admit(waiter: Waiter): void {
    if (this.#forget(waiter)) waiter.resolve("held");
    else this.#giveBack(waiter.request);
  }

  #dismiss(waiters: Iterable<Waiter>, admission: Admission): void {
    for (const waiter of waiters) if (this.#forget(waiter)) waiter.resolve(admission);
  }

  /** False when it had its answer before. */
  #forget(waiter: Waiter): boolean {
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
    this.#loop.rest();
  }

  readonly #onAbort = () => this.#dismiss([...this.#pending], "gone");

  /** The answer came after the trial was given up. What this process cannot tell any more, the end of its lease frees. */
  #giveBack({ trial, token }: ReserveRequest): void {
    const settlement = { trial, token, costUsd: 0, judgeCostUsd: 0, isTypical: false };
    const { redis, key } = this.#options;
    const parcel = { data: Buffer.alloc(0), trials: [], settlements: [settlement] };
    insist(() => deliver(redis, key, parcel)).catch(() => {});
  }
}

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
  /** True when the output of a trial is there, and is only graded. */
  isStored: (trial: Trial) => boolean;
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
  /** False when only its system is paid, because it is being graded. Left out when it is over. */
  isGraded?: boolean;
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
    const { wasPaid, wasStored } = attempted.call;
    const costUsd = spentOn(attempted);
    requireRule("costUsd", costUsd ?? 0, amount);
    requireRule("judgeCostUsd", judgeCostUsd, amount);
    const isTypical = attempted.kind === "returned" && !wasStored && (!wasPaid || judgeCostUsd > 0);
    append(this.#settled, trial.index, { trial: trial.index, token, costUsd, judgeCostUsd, isTypical });
    this.#queue.wake();
  }

  /** What the system of a trial is to be paid, together with the delivery of its output; null when nothing was reserved. */
  payFor(index: number, returned: Returned): Settlement | null {
    const token = this.#held.get(index)?.[0];
    if (token === undefined) return null;
    const costUsd = spentOn(returned);
    requireRule("costUsd", costUsd ?? 0, amount);
    return { trial: index, token, costUsd, judgeCostUsd: 0, isTypical: false, isGraded: false };
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
    const { isJudged, isStored, prompt } = wantedFor(trial, limits, this.#options);
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
      isStored,
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
