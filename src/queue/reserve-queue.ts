import type { Redis } from "ioredis";
import { AssayError } from "../core/errors.js";
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
