import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Redis } from "ioredis";
import type { CallEnd, TrialGate } from "../runner/gate.js";
import { insist } from "./insist.js";
import { ENTER } from "./lua/enter.js";
import { LEAVE } from "./lua/leave.js";
import { gateKeys } from "./lua/places.js";
import { PollLoop } from "./poll-loop.js";

export interface SharedGateOptions {
  redis: Redis;
  /** What follows a blank tells accounts apart, and is not for people. */
  endpoint: string;
  /** Whose places these are: they are freed when its lease has ended. */
  worker: string;
  /** The most calls of the run at a time, of all its workers together; Infinity for no bound but what the endpoint takes. */
  max: number;
  /** Tells runs apart that call the endpoint at the same time; left out, `max` bounds all of them together. */
  run?: string;
}

/** A call that waits for a place. */
interface Waiter {
  readonly resolve: (call: number) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
}

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;
/** Places asked for in one question. */
const MOST_AT_ONCE = 256;
/** A timer that is set for longer than 24 days fires at once. */
const LONGEST_WAIT_MS = 60_000;
/** Redis answers within a millisecond; one that is silent for so long is away. */
const SILENCE_MS = 1000;
const NO_BOUND = 1e9;

/**
 * Bounds the calls of all workers to one endpoint at a time, and learns how many it takes, as `Gate` does for one
 * process. The places are kept in Redis. Calls of this process wait in order, and one of them asks for all.
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
  /** Tells the calls of this gate from those of others of the same worker. */
  readonly #id = randomBytes(6).toString("hex");
  #queue: Waiter[] = [];
  #calls = 0;
  #limit = 0;
  #pausedUntil = 0;
  /** When the question that is on its way was asked; null when there is none. */
  #askedAt: number | null = null;

  constructor(options: SharedGateOptions) {
    this.#options = options;
    this.#keys = gateKeys(options.endpoint);
    this.#run = encodeURIComponent(options.run ?? "");
    this.#max = Math.min(options.max, NO_BOUND);
    this.#loop = new PollLoop({ ask: () => this.#ask(), shortestMs: SHORTEST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS });
  }

  /** Takes a place, when there is one. While Redis is away, it waits. */
  enter(signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      // Many calls wait for the same signal; that is no leak.
      setMaxListeners(0, signal);
      const waiter = { resolve, reject, signal, onAbort: () => this.#giveUp(waiter) };
      signal.addEventListener("abort", waiter.onAbort, { once: true });
      this.#queue.push(waiter);
      this.#loop.wake();
    });
  }

  /** Gives the place back, sooner or later; what this process cannot tell any more is made good when its lease ends. */
  leave(call: number, end: CallEnd, pauseMs = 0): void {
    const { redis } = this.#options;
    const args = [this.#nameOf(call), this.#max, end, pauseMs];
    insist(() => LEAVE.run(redis, this.#keys, args)).catch(() => {});
    if (pauseMs > 0) this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + pauseMs);
    if (this.#queue.length > 0) this.#loop.wake();
  }

  /** Why calls are waiting, in words; null when none is. */
  waiting(): string | null {
    const now = performance.now();
    const { length } = this.#queue;
    const name = this.#options.endpoint.split(" ", 1)[0] ?? "";
    if (this.#pausedUntil > now) return `${name} asked to wait ${Math.ceil((this.#pausedUntil - now) / 1000)} s`;
    if (length === 0) return null;
    if (this.#askedAt !== null && now - this.#askedAt > SILENCE_MS) return `${length} waiting for Redis to answer`;
    return `${length} waiting for ${name}, which takes ${Math.min(this.#limit, this.#max)} at a time`;
  }

  /** Asks for places for all that wait; says how long the endpoint asks them to wait. */
  async #ask(): Promise<number | null> {
    if (this.#queue.length === 0) return null;
    const calls = Array.from({ length: Math.min(this.#queue.length, MOST_AT_ONCE) }, () => ++this.#calls);
    const pauseMs = await this.#take(calls);
    return this.#queue.length === 0 ? null : Math.min(pauseMs, LONGEST_WAIT_MS);
  }

  async #take(calls: readonly number[]): Promise<number> {
    const { redis, worker } = this.#options;
    this.#askedAt = performance.now();
    try {
      const args = [worker, this.#run, this.#max, ...calls.map((call) => this.#nameOf(call))];
      const [limit, pauseMs, ...names] = (await ENTER.run(redis, this.#keys, args)) as [number, number, ...string[]];
      this.#limit = limit;
      this.#pausedUntil = performance.now() + pauseMs;
      for (const name of names) this.#admit(Number.parseInt(name.slice(this.#id.length + 1), 10));
      return pauseMs;
    } catch (error) {
      // What Redis could not do just now it may do later, unless the connection was closed for good.
      if (redis.status === "end") this.#rejectAll(error);
      return 0;
    } finally {
      this.#askedAt = null;
    }
  }

  /** Gives a place to whoever is first by now. */
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

  #giveUp(waiter: Waiter): void {
    this.#queue.splice(this.#queue.indexOf(waiter), 1);
    if (this.#queue.length === 0) this.#loop.rest();
    waiter.reject(waiter.signal.reason);
  }

  #nameOf(call: number): string {
    return `${this.#id}.${call}:${this.#run}:${this.#options.worker}`;
  }
}
