import { NotRun } from "./not-run.js";
import { Outage, type OutagePolicy } from "./outage.js";

/** How a call ended, as far as its endpoint is concerned: "down" when it was not there. */
export type CallEnd = "fine" | "rate_limited" | "failed" | "down";

/** Bounds the calls to one endpoint at a time. */
export interface TrialGate {
  /** Takes a place, at once or when one is free. The number tells the call from others when it leaves. */
  enter(signal: AbortSignal): number | Promise<number>;
  /** Gives the place back. `pauseMs` is how long the endpoint asked everybody to wait, `why` what went wrong. */
  leave(call: number, end: CallEnd, pauseMs?: number, why?: string): void;
  /** True while the endpoint is down: it is tried by one call at a time. Left out where nobody looks. */
  readonly isDown?: boolean;
  /** Why calls are waiting, in words; null when none is. */
  waiting(): string | null;
}

export interface GateOptions {
  /** Whom the calls go to, for people. */
  name: string;
  /** The most calls at a time. */
  max: number;
  clock: () => number;
  /** What is done when the endpoint is down; left out, nothing is. */
  outage?: OutagePolicy;
}

const START = 16;
/** What is left of the limit after the endpoint refused a call. */
const CUT = 0.5;

/**
 * Bounds the calls to one endpoint at a time, and learns how many it takes: doubling at first, halved when a call is
 * refused for its rate, then growing by one a round. It grows only while the limit is really used: calls that are few
 * anyway say nothing about what the endpoint would take. One that is down is tried by one call at a time, with growing
 * pauses, until it is back or given up.
 */
export class Gate implements TrialGate {
  readonly #name: string;
  readonly #max: number;
  readonly #clock: () => number;
  readonly #queue: Waiter[] = [];
  readonly #outage: Outage | null;
  /** Why nobody is admitted any more. */
  #verdict: string | null = null;
  #limit: number;
  #active = 0;
  #isSlowStart = true;
  /** Calls sent before this one's number were sent under an older limit: their refusal is no news. */
  #sent = 0;
  #lastCut = 0;
  #pausedUntil = 0;
  #wake: NodeJS.Timeout | undefined;

  constructor({ name, max, clock, outage }: GateOptions) {
    this.#name = name;
    this.#max = max;
    this.#clock = clock;
    this.#limit = Math.min(START, max);
    this.#outage = outage === undefined ? null : new Outage({ name, policy: outage, clock });
  }

  get isDown(): boolean {
    return this.#outage?.isOn === true;
  }

  /** Calls that may be under way at a time just now. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  enter(signal: AbortSignal): number | Promise<number> {
    signal.throwIfAborted();
    if (this.#verdict !== null) throw new NotRun(this.#verdict);
    if (this.#queue.length === 0 && this.#hasRoom()) return this.#admit();
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject, signal, onAbort: () => this.#leaveQueue(waiter) };
      signal.addEventListener("abort", waiter.onAbort, { once: true });
      this.#queue.push(waiter);
      this.#schedule();
    });
  }

  leave(call: number, end: CallEnd, pauseMs = 0, why = ""): void {
    if (end === "down") this.#outage?.fail(why, this.limit);
    else this.#outage?.end();
    if (end === "rate_limited") this.#cut(call);
    else if (end === "fine") this.#grow();
    this.#active -= 1;
    if (pauseMs > 0) this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock() + pauseMs);
    this.#verdict ??= this.#outage?.verdict() ?? null;
    if (this.#verdict === null) this.#admitWaiting();
    else this.#rejectWaiting(new NotRun(this.#verdict));
  }

  waiting(): string | null {
    if (this.#outage?.isOn === true) return this.#verdict === null ? this.#outage.describe() : null;
    const pause = this.#pausedUntil - this.#clock();
    if (pause > 0) return `${this.#name} asked to wait ${Math.ceil(pause / 1000)} s`;
    if (this.#queue.length === 0) return null;
    return `${this.#queue.length} waiting for ${this.#name}, which takes ${this.limit} at a time`;
  }

  #hasRoom(): boolean {
    const most = this.isDown ? 1 : this.limit;
    return this.#active < most && this.#clock() >= this.#openAt();
  }

  /** When calls may be made again. */
  #openAt(): number {
    return Math.max(this.#pausedUntil, this.#outage?.nextTry ?? 0);
  }

  #admit(): number {
    this.#active += 1;
    this.#sent += 1;
    return this.#sent;
  }

  #admitWaiting(): void {
    while (this.#queue.length > 0 && this.#hasRoom()) {
      const waiter = this.#queue.shift();
      waiter?.signal.removeEventListener("abort", waiter.onAbort);
      waiter?.resolve(this.#admit());
    }
    this.#schedule();
  }

  /** While everybody waits, nobody leaves: somebody has to look when the pause is over. */
  #schedule(): void {
    if (this.#queue.length === 0 || this.#wake !== undefined) return;
    const pause = this.#openAt() - this.#clock();
    if (pause <= 0) return;
    this.#wake = setTimeout(() => {
      this.#wake = undefined;
      this.#admitWaiting();
    }, pause + 1);
  }

  #rejectWaiting(reason: NotRun): void {
    clearTimeout(this.#wake);
    this.#wake = undefined;
    for (const waiter of this.#queue.splice(0)) {
      waiter.signal.removeEventListener("abort", waiter.onAbort);
      waiter.reject(reason);
    }
  }

  #leaveQueue(waiter: Waiter): void {
    this.#queue.splice(this.#queue.indexOf(waiter), 1);
    if (this.#queue.length === 0) {
      clearTimeout(this.#wake);
      this.#wake = undefined;
    }
    waiter.reject(waiter.signal.reason);
  }

  #grow(): void {
    const isUsed = this.#active >= this.limit;
    if (isUsed) this.#limit = Math.min(this.#max, this.#limit + (this.#isSlowStart ? 1 : 1 / this.#limit));
  }

  /** One cut a round: the calls that were under way when the limit was cut are refused for the same reason. */
  #cut(call: number): void {
    this.#isSlowStart = false;
    if (call <= this.#lastCut) return;
    this.#limit = Math.max(1, this.#limit * CUT);
    this.#lastCut = this.#sent;
  }
}

interface Waiter {
  resolve: (call: number) => void;
  reject: (reason: unknown) => void;
  signal: AbortSignal;
  onAbort: () => void;
}
