import { setMaxListeners } from "node:events";
import type { EvalRow } from "../core/index.js";
import { isTrialError } from "../core/index.js";
import type { AttemptResult } from "./call.js";

/** How a call ended from the view of its endpoint; "down" if the endpoint did not answer. */
export type CallEnd = "fine" | "rate_limited" | "failed" | "down";

/** Limits concurrent calls to one endpoint. */
export interface TrialGate {
  /** Waits for a free slot. The returned number identifies the call in `leave`. */
  enter(signal: AbortSignal): number | Promise<number>;
  /** Frees the slot. `pauseMs`: how long the endpoint asked all callers to wait. `why`: what went wrong. */
  leave(call: number, end: CallEnd, pauseMs?: number, why?: string): void;
  /** True while the endpoint is down and only one call at a time tries it. Omitted if outages are not detected. */
  readonly isDown?: boolean;
  /** Describes why calls are waiting; null if none is. */
  waiting(): string | null;
}

export interface GateOptions {
  /** The endpoint, as shown to users. */
  name: string;
  /** Maximum number of concurrent calls. */
  max: number;
  clock: () => number;
  /** What to do when the endpoint is down. Default: nothing. */
  outage?: OutagePolicy;
}

const INITIAL_LIMIT = 16;
/** The limit is multiplied by this after a rate-limit error. */
const CUT_FACTOR = 0.5;

/**
 * Limits concurrent calls to one endpoint and adapts to its rate limits: the limit doubles at first, is halved by a
 * rate-limit error, then grows by one per round. It grows only while it is fully used, because few calls show nothing
 * about the capacity of the endpoint. When the endpoint is down, one call at a time tries it, with growing pauses, until
 * it is back or given up.
 */
export class EndpointGate implements TrialGate {
  readonly #name: string;
  readonly #max: number;
  readonly #clock: () => number;
  readonly #queue: GateWaiter[] = [];
  readonly #outage: Outage | null;
  /** Why no call is admitted any more; null while calls are. */
  #verdict: string | null = null;
  #limit: number;
  #active = 0;
  #isSlowStart = true;
  /** Number of calls sent. Rate-limit errors of calls sent before the last cut belong to the old limit and are ignored. */
  #sent = 0;
  #lastCut = 0;
  #pausedUntil = 0;
  #wake: NodeJS.Timeout | undefined;

  constructor({ name, max, clock, outage }: GateOptions) {
    this.#name = name;
    this.#max = max;
    this.#clock = clock;
    this.#limit = Math.min(INITIAL_LIMIT, max);
    this.#outage = outage === undefined ? null : new Outage({ name, policy: outage, clock });
  }

  get isDown(): boolean {
    return this.#outage?.isOn === true;
  }

  /** The current maximum of concurrent calls. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  enter(signal: AbortSignal): number | Promise<number> {
    signal.throwIfAborted();
    if (this.#verdict !== null) throw new NotRunError(this.#verdict);
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
    this.#verdict ??= this.#outage?.describeGivingUp() ?? null;
    if (this.#verdict === null) this.#admitWaiting();
    else this.#rejectWaiting(new NotRunError(this.#verdict));
  }

  waiting(): string | null {
    if (this.#outage?.isOn === true) return this.#verdict === null ? this.#outage.describe() : null;
    const pause = this.#pausedUntil - this.#clock();
    if (pause > 0) return `${this.#name} asked to wait ${Math.ceil(pause / 1000)} s`;
    if (this.#queue.length === 0) return null;
    return `${this.#queue.length} waiting for ${this.#name}, limited to ${this.limit} at a time`;
  }

  #hasRoom(): boolean {
    const most = this.isDown ? 1 : this.limit;
    return this.#active < most && this.#clock() >= this.#getReopenTime();
  }

  #getReopenTime(): number {
    return Math.max(this.#pausedUntil, this.#outage?.nextTryAt ?? 0);
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

  /** While all calls wait, none leaves and admits the next, so a timer has to. */
  #schedule(): void {
    if (this.#queue.length === 0 || this.#wake !== undefined) return;
    const pause = this.#getReopenTime() - this.#clock();
    if (pause <= 0) return;
    this.#wake = setTimeout(() => {
      this.#wake = undefined;
      this.#admitWaiting();
    }, pause + 1);
  }

  #rejectWaiting(reason: NotRunError): void {
    clearTimeout(this.#wake);
    this.#wake = undefined;
    for (const waiter of this.#queue.splice(0)) {
      waiter.signal.removeEventListener("abort", waiter.onAbort);
      waiter.reject(reason);
    }
  }

  #leaveQueue(waiter: GateWaiter): void {
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

  /** Cuts once per round: calls already sent when the limit was cut fail for the same reason. */
  #cut(call: number): void {
    this.#isSlowStart = false;
    if (call <= this.#lastCut) return;
    this.#limit = Math.max(1, this.#limit * CUT_FACTOR);
    this.#lastCut = this.#sent;
  }
}

interface GateWaiter {
  resolve: (call: number) => void;
  reject: (reason: unknown) => void;
  signal: AbortSignal;
  onAbort: () => void;
}

/** What to do when an endpoint is down. */
export interface OutagePolicy {
  /** Milliseconds after which waiting trials are given up; `Infinity` waits until the endpoint is back. */
  giveUpAfterMs: number;
}

export const DEFAULT_OUTAGE: OutagePolicy = { giveUpAfterMs: 60_000 };

/** Fewer failures in a row may be chance. */
const MIN_FAILURES = 5;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

export interface OutageOptions {
  /** The endpoint, as shown to users. */
  name: string;
  policy: OutagePolicy;
  clock: () => number;
}

/** Tracks whether an endpoint is down and when to try it again: one call at a time, with growing pauses. */
export class Outage {
  readonly #options: OutageOptions;
  #failures = 0;
  /** When the first of these failures ended. */
  #since = 0;
  #pauseMs = 0;
  #nextTry = 0;
  #why = "";

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#pauseMs > 0;
  }

  get nextTryAt(): number {
    return this.isOn ? this.#nextTry : 0;
  }

  /** Call when a call failed because the endpoint is down. `atOnce`: calls in flight that fail for the same reason. */
  fail(why: string, atOnce: number): void {
    const now = this.#options.clock();
    if (this.#failures === 0) this.#since = now;
    this.#failures += 1;
    this.#why = why;
    if (this.#failures < Math.max(MIN_FAILURES, atOnce)) return;
    // Calls already in flight when the outage began add nothing new.
    if (this.isOn && now < this.#nextTry) return;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs === 0 ? FIRST_PAUSE_MS : this.#pauseMs * 2);
    this.#nextTry = Math.min(now + this.#pauseMs, Math.max(now, this.#getDeadline()));
  }

  /** Call when the endpoint has answered, whatever the answer. */
  end(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  /** Describes why trials are given up; null while the endpoint is still waited for. */
  describeGivingUp(): string | null {
    const { name, clock } = this.#options;
    if (!this.isOn || clock() < this.#getDeadline()) return null;
    return `${name} was down for ${formatWholeSeconds(clock() - this.#since)}. ${this.#why}`;
  }

  describe(): string {
    const { name, policy, clock } = this.#options;
    const next = `next try in ${formatWholeSeconds(this.#nextTry - clock())}`;
    const end =
      policy.giveUpAfterMs === Number.POSITIVE_INFINITY
        ? "waiting until it is back"
        : `giving up in ${formatWholeSeconds(this.#getDeadline() - clock())}`;
    return `${name} is down, ${next}, ${end}: ${this.#why}`;
  }

  #getDeadline(): number {
    return this.#since + this.#options.policy.giveUpAfterMs;
  }
}

function formatWholeSeconds(ms: number): string {
  return `${Math.max(0, Math.ceil(ms / 1000))} s`;
}

/**
 * Holds back calls to an endpoint that is down, in front of another gate: one call at a time tries it, with growing
 * pauses, until it is back or given up. `EndpointGate` does this itself.
 */
export class OutageGate implements TrialGate {
  readonly #inner: TrialGate;
  readonly #outage: Outage;
  readonly #clock: () => number;
  #active = 0;
  /** True while a call tests whether the endpoint is back. */
  #isTrying = false;
  #triedBy: number | null = null;
  /** Why no call is admitted any more; null while calls are. */
  #verdict: string | null = null;
  readonly #waiters = new Set<() => void>();

  constructor(inner: TrialGate, options: OutageOptions) {
    this.#inner = inner;
    this.#outage = new Outage(options);
    this.#clock = options.clock;
  }

  get isDown(): boolean {
    return this.#outage.isOn;
  }

  async enter(signal: AbortSignal): Promise<number> {
    for (;;) {
      const tries = await this.#waitForTurn(signal);
      const call = await this.#enterInner(signal, tries);
      if (tries || !this.isDown) return call;
      // The endpoint went down while this call waited for a slot.
      this.#active -= 1;
      this.#inner.leave(call, "failed");
    }
  }

  leave(call: number, end: CallEnd, pauseMs = 0, why = ""): void {
    if (call === this.#triedBy) this.#endTry();
    if (end === "down") this.#outage.fail(why, this.#active);
    else this.#outage.end();
    this.#active -= 1;
    this.#verdict ??= this.#outage.describeGivingUp();
    this.#inner.leave(call, end, pauseMs, why);
    this.#wakeAll();
  }

  waiting(): string | null {
    if (!this.isDown) return this.#inner.waiting();
    return this.#verdict === null ? this.#outage.describe() : null;
  }

  /** Resolves when a call may be made; true if this call tests whether the endpoint is back. */
  async #waitForTurn(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#verdict !== null) throw new NotRunError(this.#verdict);
      if (!this.isDown) return false;
      const pause = this.#outage.nextTryAt - this.#clock();
      if (!this.#isTrying && pause <= 0) {
        this.#isTrying = true;
        return true;
      }
      await this.#waitForChange(signal, this.#isTrying ? null : pause + 1);
    }
  }

  async #enterInner(signal: AbortSignal, tries: boolean): Promise<number> {
    try {
      const call = await this.#inner.enter(signal);
      this.#active += 1;
      if (tries) this.#triedBy = call;
      return call;
    } catch (error) {
      if (tries) this.#endTry();
      throw error;
    }
  }

  #endTry(): void {
    this.#isTrying = false;
    this.#triedBy = null;
    this.#wakeAll();
  }

  /** Resolves after a change, or after `ms`. */
  #waitForChange(signal: AbortSignal, ms: number | null): Promise<void> {
    setMaxListeners(0, signal);
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(() => wake(), ms);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#waiters.delete(wake);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#waiters.add(wake);
    });
  }

  #wakeAll(): void {
    for (const wake of this.#waiters) wake();
  }
}

/** Before the first answer of a system: how many identical refusals in a row stop it. */
const FIRST_REFUSAL_LIMITS = { refused: 1, rejected: 5 } as const;

/** After the first answer: a revoked key keeps being refused, but a rejected request says nothing about others. */
const LATER_REFUSAL_LIMITS = { refused: 10, rejected: Number.POSITIVE_INFINITY } as const;

/** Tracks whether the endpoint of a system refuses every request. */
export class RefusalTracker {
  #hasAnswered = false;
  #message = "";
  #count = 0;
  #reason: string | null = null;

  /** Why the system is no longer called; null while it is. */
  get reason(): string | null {
    return this.#reason;
  }

  record(attempted: AttemptResult): void {
    if (attempted.kind === "returned") {
      this.#hasAnswered = true;
      this.#count = 0;
      return;
    }
    const { error } = attempted;
    if (!isTrialError(error) || (error.outlook !== "refused" && error.outlook !== "rejected")) return;
    this.#count = error.message === this.#message ? this.#count + 1 : 1;
    this.#message = error.message;
    const limits = this.#hasAnswered ? LATER_REFUSAL_LIMITS : FIRST_REFUSAL_LIMITS;
    if (this.#count >= limits[error.outlook]) this.#reason = error.message;
  }
}

/** A trial that was not run because its system could not be measured. */
export class NotRunError extends Error {}

const NOT_RUN_PREFIX = "not run: ";

export function formatNotRunNote(reason: string): string {
  return NOT_RUN_PREFIX + reason;
}

/** Why a trial was not run; null if it was run or interrupted. */
export function readNotRun({ outcome, notes }: Pick<EvalRow, "outcome" | "notes">): string | null {
  const note = outcome === "skipped" ? notes.find((each) => each.startsWith(NOT_RUN_PREFIX)) : undefined;
  return note === undefined ? null : note.slice(NOT_RUN_PREFIX.length);
}

/** Explains for each stopped system why it was stopped and what to do. */
export function describeStoppedSystems(rows: readonly EvalRow[]): string[] {
  const stopped = new Map<string, { system: string; reason: string; count: number }>();
  for (const row of rows) {
    const reason = readNotRun(row);
    if (reason === null) continue;
    const { system } = row;
    const key = JSON.stringify([system, reason]);
    const entry = stopped.get(key) ?? { system, reason, count: 0 };
    entry.count += 1;
    stopped.set(key, entry);
  }
  return Array.from(stopped.values(), ({ system, reason, count }) => {
    const trials = count === 1 ? "1 trial was" : `${count} trials were`;
    return `"${system}" was stopped, and ${trials} not run: ${reason.replace(/[.:]?$/, ".")} Fix it, then continue with --resume.`;
  });
}
