import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { checkAmount, estimateMaxCost, isFreeSystem, requireRule, toDollars, toPicoDollars } from "../budget/index.js";
import type { Limits } from "../core/index.js";
import { AssayError, BudgetError, QueueError } from "../core/index.js";
import type { AttemptResult, AttemptSuccess, TokenCounter, Trial, TrialSettler } from "../runner/index.js";
import { computeTrialSpend, toReservationRequest } from "../runner/index.js";
import type { Announcement, QueueBudget } from "./contract.js";
import { deliverResults } from "./deliver.js";
import { removeBudget } from "./directory.js";
import { getBudgetKeys, OPEN_BUDGET, READ_BUDGET, RESERVE } from "./lua/budget.js";
import { PollLoop } from "./poll-loop.js";
import { retryRedis } from "./redis-retry.js";

/** A trial that needs budget. */
export interface SharedReserveRequest {
  /** Identifies the reservation; a repeated request with the same token reserves nothing twice. */
  token: string;
  /** The worker; its reservations are freed when its lease has ended. */
  worker: string;
  /** The index of the trial in the plan. */
  trial: number;
  /** The cost of a trial without a limit is estimated from others of its kind: those of the same system. */
  kind: string;
  /** The limit of the trial; 0 and null mean none. */
  maxCostUsd: number | null;
  /** The possible cost, from prompt and maximum answer length or from the limit; null if unknown. */
  canCostUsd: number | null;
  /** True if an evaluator calls models. */
  isJudged: boolean;
  /** True if it costs nothing except for judging. */
  isFree: boolean;
  /** True if its output is stored and only graded. Omitted otherwise. */
  isStored?: boolean;
}

/** "wait" until another trial is settled, "refuse" finally and for all workers, "gone" if the run does not exist. */
type ReserveAnswer = (typeof RESERVE_ANSWERS)[number];

const RESERVE_ANSWERS = ["held", "wait", "refuse", "gone"] as const;

/**
 * The budget of a run that several workers share, kept in Redis. The rule is that of `RunBudget`: a trial starts only if
 * the spending, all open reservations and its own possible cost fit together.
 * @example
 * const budget = new SharedBudget(redis, key);
 * await budget.open({ maxCostUsd: 5, spentUsd: 0 });
 * (await budget.read()).spentUsd; // 0
 */
export class SharedBudget {
  readonly #redis: Redis;
  readonly #keys: readonly string[];

  constructor(redis: Redis, key: string) {
    this.#redis = redis;
    this.#keys = getBudgetKeys(key);
  }

  /** Sets the limit at every start of the run. The spending is the larger of what Redis and the journal know. */
  async open({ maxCostUsd, spentUsd }: { maxCostUsd: number; spentUsd: number }): Promise<void> {
    requireRule("maxCostUsd", maxCostUsd, checkAmount);
    requireRule("spentUsd", spentUsd, checkAmount);
    if (maxCostUsd === 0) throw new BudgetError("The budget of a run must be above 0. Omit it to run without a limit.");
    await OPEN_BUDGET.run(this.#redis, this.#keys, [toPicoDollars(maxCostUsd), toPicoDollars(spentUsd)]);
  }

  /** Reserves the possible cost of a trial. */
  async reserve(wanted: SharedReserveRequest): Promise<ReserveAnswer> {
    const { token, worker, trial, kind, maxCostUsd, canCostUsd, isJudged, isFree, isStored = false } = wanted;
    requireRule("maxCostUsd", maxCostUsd ?? 0, checkAmount);
    requireRule("canCostUsd", canCostUsd ?? 0, checkAmount);
    const pico = [maxCostUsd, canCostUsd].map((usd) => toPicoDollars(usd ?? 0));
    const args = [token, worker, trial, kind, ...pico, Number(isJudged), Number(isFree), Number(isStored)];
    const answer = await RESERVE.run(this.#redis, this.#keys, args);
    const known = RESERVE_ANSWERS.find((each) => each === answer);
    if (known !== undefined) return known;
    throw new QueueError(`Redis answered ${String(answer)} to a budget reservation. Assay needs Redis 5 or newer.`);
  }

  /** Reads the spending so far; reservations of expired workers count as lost. */
  async read(): Promise<QueueBudget> {
    const fields = (await READ_BUDGET.run(this.#redis, this.#keys, [])) as (string | null)[];
    const [max = 0, spent = 0, reserved = 0, refusing = 0, unknown = 0, lostTrials = 0, lost = 0] = fields.map(Number);
    return {
      maxCostUsd: toDollars(max),
      spentUsd: toDollars(spent),
      reservedUsd: toDollars(reserved),
      isRefusing: refusing === 1,
      unknownCosts: unknown,
      lostTrials,
      lostUsd: toDollars(lost),
    };
  }
}

interface CoordinatorBudgetOptions {
  redis: Redis;
  announcement: Pick<Announcement, "key" | "budget">;
  /** Spending of earlier starts of the run, from their last state; null if there is none. */
  last: QueueBudget | null;
  /** Cost of the recorded trials. */
  recordedUsd: () => number;
}

/**
 * The budget of a run as its coordinator sees it. It remembers what Redis forgets: trials lost with workers, in earlier
 * starts and before Redis lost its data.
 */
export class CoordinatorBudget {
  readonly #options: CoordinatorBudgetOptions;
  readonly #budget: SharedBudget | null;
  #last: QueueBudget | null;
  /** Losses that Redis does not know about. */
  #forgotten = { trials: 0, usd: 0 };

  constructor(options: CoordinatorBudgetOptions) {
    const { redis, announcement, last } = options;
    this.#options = options;
    this.#budget = announcement.budget.run === undefined ? null : new SharedBudget(redis, announcement.key);
    this.#last = last;
  }

  /** Sets the limit at the start, and whenever Redis has lost it. */
  async open(): Promise<void> {
    const { redis, announcement } = this.#options;
    const maxCostUsd = announcement.budget.run?.maxCostUsd;
    if (this.#budget === null || maxCostUsd === undefined) return;
    const known = await this.#budget.read();
    this.#remember(known);
    if (known.maxCostUsd > 0) {
      await this.#budget.open({ maxCostUsd, spentUsd: this.#computeMinSpent(known) });
      return;
    }
    // Otherwise late settlements would be subtracted from a budget that never included them.
    await removeBudget(redis, announcement.key);
    const { spentUsd = 0, reservedUsd = 0 } = this.#last ?? {};
    // Old reservations will never be settled, so they count as spent.
    await this.#budget.open({ maxCostUsd, spentUsd: Math.max(this.#computeMinSpent(known), spentUsd + reservedUsd) });
  }

  /** The spending so far, including all losses; null if the run has no budget. */
  async read(): Promise<QueueBudget | null> {
    if (this.#budget === null) return null;
    const known = await this.#budget.read();
    // The lost data is restored in a moment; until then the last state is better.
    if (known.maxCostUsd === 0) return this.#last;
    const { trials, usd } = this.#forgotten;
    this.#last = { ...known, lostTrials: known.lostTrials + trials, lostUsd: known.lostUsd + usd };
    return this.#last;
  }

  #computeMinSpent({ lostUsd }: QueueBudget): number {
    return this.#options.recordedUsd() + lostUsd + this.#forgotten.usd;
  }

  #remember(known: QueueBudget): void {
    const { lostTrials = 0, lostUsd = 0 } = this.#last ?? {};
    this.#forgotten = {
      trials: Math.max(0, lostTrials - known.lostTrials),
      usd: Math.max(0, lostUsd - known.lostUsd),
    };
  }
}

interface ReserveQueueOptions {
  redis: Redis;
  /** The name of the run in Redis. */
  key: string;
  signal: AbortSignal;
}

/** The result of a reservation; "gone" if the run is over or the signal was aborted. */
type ReservationResult = "held" | "refused" | "gone";

interface ReservationWaiter {
  readonly request: SharedReserveRequest;
  readonly resolve: (admission: ReservationResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reserves budget, and retries while other trials may still free some. Trials of one system wait in order; those of
 * another system do not wait behind them.
 */
class ReserveQueue {
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
    const batch = { data: Buffer.alloc(0), trials: [], settlements: [settlement] };
    retryRedis(() => deliverResults(redis, key, batch)).catch(() => {});
  }
}

interface SharedBudgetGateOptions {
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
