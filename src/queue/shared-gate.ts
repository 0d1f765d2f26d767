import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Redis } from "ioredis";
import type { CallEnd, TrialGate } from "../runner/index.js";
import { ENTER_GATE, getGateKeys, LEAVE_GATE } from "./lua/gate.js";
import { PollLoop } from "./poll-loop.js";
import { retryRedis } from "./redis-retry.js";

export interface SharedGateOptions {
  redis: Redis;
  /** The part after the space distinguishes accounts and is not shown. */
  endpoint: string;
  /** The owner of the slots; they are freed when its lease has ended. */
  worker: string;
  /** Maximum concurrent calls of the run by all its workers together; Infinity to limit them only by the endpoint's capacity. */
  max: number;
  /** Distinguishes runs that call the endpoint at the same time. If omitted, `max` limits all of them together. */
  run?: string;
}

interface SharedGateWaiter {
  readonly resolve: (call: number) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
}

const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;
const MAX_CALLS_PER_REQUEST = 256;
/** A timer of more than 24 days would fire at once. */
const MAX_WAIT_MS = 60_000;
/** Redis answers within a millisecond; after this time it is considered away. */
const MAX_SILENCE_MS = 1000;
const UNBOUNDED = 1e9;

/**
 * Limits concurrent calls of all workers to one endpoint and adapts to its rate limits, like `EndpointGate` for one
 * process. The slots are kept in Redis. Calls of this process wait in order, and one request asks for all of them.
 * @example
 * const gate = new SharedGate({ redis, endpoint: "api.example.com", worker, max: 64 });
 * const call = await gate.enter(signal);
 * gate.leave(call, "fine");
 */
export class SharedGate implements TrialGate {
  readonly #options: SharedGateOptions;
  readonly #keys: readonly string[];
  readonly #run: string;
  readonly #max: number;
  readonly #loop: PollLoop;
  /** Distinguishes the calls of this gate from those of other gates of the same worker. */
  readonly #id = randomBytes(6).toString("hex");
  #queue: SharedGateWaiter[] = [];
  #calls = 0;
  #limit = 0;
  #pausedUntil = 0;
  /** When the pending request was sent; null if there is none. */
  #askedAt: number | null = null;

  constructor(options: SharedGateOptions) {
    this.#options = options;
    this.#keys = getGateKeys(options.endpoint);
    this.#run = encodeURIComponent(options.run ?? "");
    this.#max = Math.min(options.max, UNBOUNDED);
    this.#loop = new PollLoop({ ask: () => this.#ask(), shortestMs: MIN_PAUSE_MS, longestMs: MAX_PAUSE_MS });
  }

  /** Takes a slot when one is free. Waits while Redis is away. */
  enter(signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      // Many calls wait for the same signal, which is not a leak.
      setMaxListeners(0, signal);
      const waiter = { resolve, reject, signal, onAbort: () => this.#giveUp(waiter) };
      signal.addEventListener("abort", waiter.onAbort, { once: true });
      this.#queue.push(waiter);
      this.#loop.wake();
    });
  }

  /** Frees the slot eventually; if this process can no longer reach Redis, the end of its lease does. */
  leave(call: number, end: CallEnd, pauseMs = 0): void {
    const { redis } = this.#options;
    const args = [this.#formatCallName(call), this.#max, end, pauseMs];
    retryRedis(() => LEAVE_GATE.run(redis, this.#keys, args)).catch(() => {});
    if (pauseMs > 0) this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + pauseMs);
    if (this.#queue.length > 0) this.#loop.wake();
  }

  /** Describes why calls are waiting; null if none is. */
  waiting(): string | null {
    const now = performance.now();
    const { length } = this.#queue;
    const name = this.#options.endpoint.split(" ", 1)[0] ?? "";
    if (this.#pausedUntil > now) return `${name} asked to wait ${Math.ceil((this.#pausedUntil - now) / 1000)} s`;
    if (length === 0) return null;
    if (this.#askedAt !== null && now - this.#askedAt > MAX_SILENCE_MS) return `${length} waiting for Redis to answer`;
    return `${length} waiting for ${name}, limited to ${Math.min(this.#limit, this.#max)} at a time`;
  }

  /** Requests slots for all waiting calls. Returns how long the endpoint asked to wait. */
  async #ask(): Promise<number | null> {
    if (this.#queue.length === 0) return null;
    const calls = Array.from({ length: Math.min(this.#queue.length, MAX_CALLS_PER_REQUEST) }, () => ++this.#calls);
    const pauseMs = await this.#take(calls);
    return this.#queue.length === 0 ? null : Math.min(pauseMs, MAX_WAIT_MS);
  }

  async #take(calls: readonly number[]): Promise<number> {
    const { redis, worker } = this.#options;
    this.#askedAt = performance.now();
    try {
      const args = [worker, this.#run, this.#max, ...calls.map((call) => this.#formatCallName(call))];
      const [limit, pauseMs, ...names] = (await ENTER_GATE.run(redis, this.#keys, args)) as [
        number,
        number,
        ...string[],
      ];
      this.#limit = limit;
      this.#pausedUntil = performance.now() + pauseMs;
      for (const name of names) this.#admit(Number.parseInt(name.slice(this.#id.length + 1), 10));
      return pauseMs;
    } catch (error) {
      // Temporary errors of Redis are retried, unless the connection was closed.
      if (redis.status === "end") this.#rejectAll(error);
      return 0;
    } finally {
      this.#askedAt = null;
    }
  }

  /** Gives a slot to the first waiting call. */
  #admit(call: number): void {
    const waiter = this.#queue.shift();
    waiter?.signal.removeEventListener("abort", waiter.onAbort);
    if (waiter === undefined) this.leave(call, "failed");
    else waiter.resolve(call);
  }

  #rejectAll(error: unknown): void {
    const waiters = this.#queue;
    this.#queue = [];
    for (const { reject, signal, onAbort } of waiters) {
      signal.removeEventListener("abort", onAbort);
      reject(error);
    }
  }

  #giveUp(waiter: SharedGateWaiter): void {
    this.#queue.splice(this.#queue.indexOf(waiter), 1);
    if (this.#queue.length === 0) this.#loop.stop();
    waiter.reject(waiter.signal.reason);
  }

  #formatCallName(call: number): string {
    return `${this.#id}.${call}:${this.#run}:${this.#options.worker}`;
  }
}
