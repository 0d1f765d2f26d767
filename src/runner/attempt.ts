import { setTimeout as sleep } from "node:timers/promises";
import { isTrialError, messageOf, type Outlook } from "../core/errors.js";
import { digest, fingerprintOf } from "../core/fingerprint.js";
import { findOutputProblem } from "../core/output-problem.js";
import type { Limits } from "../core/price.js";
import { isThenable } from "../core/shape.js";
import type { Output, TrialContext } from "../core/system.js";
import { createRandom, hashSeed } from "../stats/index.js";
import type { Trial } from "./admit.js";
import {
  type Alarms,
  type Attempted,
  type Call,
  openCall,
  type Returned,
  recordedTime,
  returned,
  secondsOf,
  type Timed,
  TrialStop,
  threw,
  trialSeeds,
} from "./call.js";
import { failureOf } from "./classify.js";
import { charge } from "./cost.js";
import { type CallEnd, NotRun, Refusals, type TrialGate } from "./gate.js";
import type { CachedOutput, ChainPorts } from "./ports.js";
import { retryOf, waitBeforeRetry } from "./retry.js";
import { score } from "./score.js";

export interface AttemptOptions {
  seed: number;
  /** By system: what its endpoint takes at a time. */
  gates: readonly (TrialGate | null)[];
  /** What a trial is held to. */
  limitsOf: (trial: Trial) => Limits | null;
  /** What passing means. */
  threshold: number;
  /** Told when a trial has used up much of its budget. */
  alarms: Alarms;
}

/** Calls systems, or answers for them from the cache when they did the very same work before. */
export class Attempter {
  readonly #ports: ChainPorts;
  readonly #seedOf: (trial: Trial) => number;
  readonly #threshold: number;
  readonly #alarms: Alarms;
  readonly #known: readonly Known[];
  readonly #limitsOf: (trial: Trial) => Limits | null;
  readonly #random: () => number;
  /** Calls of trials that are not over. Weak, because the copies that a growing and shrinking Map leaves hold on to them. */
  readonly #made = new WeakMap<Trial, Call>();
  #sleeping = 0;
  #lastFailure: unknown;

  constructor(ports: ChainPorts, { seed, gates, limitsOf, threshold, alarms }: AttemptOptions) {
    this.#ports = ports;
    this.#seedOf = trialSeeds(seed);
    this.#threshold = threshold;
    this.#alarms = alarms;
    const watches = ports.outage !== undefined;
    this.#known = gates.map((gate) => ({ gate, fingerprint: null, refusals: watches ? new Refusals() : null }));
    this.#limitsOf = limitsOf;
    this.#random = createRandom(hashSeed(seed, "retries")).next;
  }

  async attempt(trial: Trial): Promise<Attempted> {
    const known = this.#known[trial.systemIndex] ?? NOTHING_KNOWN;
    const call = this.#open(trial, this.#limitsOf(trial));
    return this.#ports.cache === null ? this.#make(call, trial, known) : this.#makeUnlessCached(call, trial, known);
  }

  #open(trial: Trial, limits: Limits | null): Call {
    const call = this.#openWith(trial, limits);
    if (trial.wiring.canWatch) {
      const passes = watchOf(trial, this.#threshold, this.#ports.signal);
      if (passes !== undefined) call.context.passes = passes;
    }
    if (trial.system.worksInPhases === true) this.#addPhases(call, limits);
    return call;
  }

  #openWith(trial: Trial, limits: Limits | null): Call {
    const { signal, budget } = this.#ports;
    if (limits === null) return openCall({ trial, seed: this.#seedOf(trial), signal, budget: null, stop: null });
    const stop = new TrialStop(signal, trial.system.graceMs);
    const bill = budget.open(limits, {
      onExceeded: () => stop.stop("cost_killed"),
      onShare: (share) => this.#alarms.raise(trial, share),
    });
    return openCall({ trial, seed: this.#seedOf(trial), signal: stop.signal, budget: bill, stop });
  }

  #addPhases(call: Call, limits: Limits | null): void {
    const clock = () => this.#ports.clock();
    call.context.atEnd = (task) => {
      call.atEnd = [...(call.atEnd ?? []), task];
    };
    call.context.timed = async (work) => {
      const start = clock();
      call.stop?.startClock(leftOf(limits, call));
      try {
        return await work();
      } finally {
        call.stop?.stopClock();
        call.workMs = microseconds(clock() - start);
      }
    };
  }

  async #makeUnlessCached(call: Call, trial: Trial, known: Known): Promise<Attempted> {
    const key = this.#cacheKey(trial, call.context.seed, known);
    const cached = await this.#ports.cache?.get(key);
    // Older versions cached outputs without any text.
    if (cached != null && findOutputProblem(cached.output) === null) return fromCache(cached, call);
    call.cacheKey = key;
    return this.#make(call, trial, known);
  }

  /** Makes the call, and makes it again while it fails before any output and may be. */
  async #make(call: Call, trial: Trial, known: Known): Promise<Attempted> {
    const closed = await this.#takePlace(call, known);
    let attempted =
      closed === null ? await this.#callFromPlace(call, trial, known) : threw(closed, { durationMs: 0, call });
    let waitedMs = 0;
    for (let failed = 1; attempted.kind === "threw"; failed++) {
      const { error, durationMs } = attempted;
      const wait = this.#waitAfter(error, known, { failed, waitedMs });
      if (wait === null || !(await this.#slept(wait, error))) break;
      // Whoever is not let in again has failed as before: no call was made since.
      if ((await this.#takePlace(call, known)) !== null) break;
      waitedMs += wait;
      call.failed = [...call.failed, failureOf(error, durationMs)];
      call.lostMs += durationMs + wait;
      call.insideMs += durationMs;
      call.workMs = null;
      attempted = await this.#callFromPlace(call, trial, known);
    }
    call.stop?.release();
    return attempted;
  }

  /** How long to wait before a call is made again; null when it is not. */
  #waitAfter(error: unknown, { gate }: Known, so: { failed: number; waitedMs: number }): number | null {
    const { retry: policy } = this.#ports;
    // While its endpoint is down a trial waits at the gate, and for as long as that takes.
    if (gate?.isDown === true && findOutlook(error) === "down") return policy.maxRetries === 0 ? null : 0;
    const retry = retryOf(error);
    return retry === null ? null : waitBeforeRetry(retry, so, { policy, random: this.#random });
  }

  /** Puts what a call returned into the cache. One that cannot be written costs a note, not the trial. */
  async remember({ output, latency, call }: Returned): Promise<void> {
    // A recording is at hand anyway.
    if (call.cacheKey === null || call.wasPaid || latency === null || !isWhole(output)) return;
    try {
      await this.#ports.cache?.put(call.cacheKey, { output, latency });
    } catch (error) {
      call.context.log(`the output was not cached: ${messageOf(error)}`);
    }
  }

  /** The call of a trial whose system was asked; null while it waits for its turn. */
  callOf(trial: Trial): Call | null {
    return this.#made.get(trial) ?? null;
  }

  /** Call when a trial is over. */
  forget(trial: Trial): void {
    this.#made.delete(trial);
  }

  /** Why calls are waiting to be made again, in words; null when none is. */
  waiting(): string | null {
    return this.#sleeping === 0 ? null : `${this.#sleeping} to be called again after: ${messageOf(this.#lastFailure)}`;
  }

  /** Waits; false when the run was stopped meanwhile. */
  async #slept(ms: number, failure: unknown): Promise<boolean> {
    this.#sleeping += 1;
    this.#lastFailure = failure;
    try {
      await sleep(ms, undefined, { signal: this.#ports.signal });
      return true;
    } catch {
      return false;
    } finally {
      this.#sleeping -= 1;
    }
  }

  /** Takes a place at the endpoint. Gives back why there is none. */
  async #takePlace(call: Call, { gate, refusals }: Known): Promise<unknown> {
    if (refusals !== null && refusals.reason !== null) return new NotRun(refusals.reason);
    if (gate === null) return null;
    try {
      const place = await gate.enter(this.#ports.signal);
      call.leaveGate = (...end) => {
        call.leaveGate = null;
        gate.leave(place, ...end);
      };
    } catch (error) {
      return error;
    }
    if (refusals === null || refusals.reason === null) return null;
    call.leaveGate("failed");
    return new NotRun(refusals.reason);
  }

  /** Makes one call, and gives its place back. */
  async #callFromPlace(call: Call, trial: Trial, { refusals }: Known): Promise<Attempted> {
    const attempted = await this.#call(call, trial);
    refusals?.note(attempted);
    const error = attempted.kind === "threw" ? attempted.error : null;
    const afterMs = retryOf(error)?.afterMs ?? 0;
    // A wait that this trial would not take is not asked of the others: each finds out for itself, and the run ends.
    const pauseMs = afterMs <= this.#ports.retry.maxWaitMs ? afterMs : 0;
    call.leaveGate?.(endOf(attempted), pauseMs, error === null ? "" : messageOf(error));
    return attempted;
  }

  async #call(call: Call, trial: Trial): Promise<Attempted> {
    const started = { start: this.#ports.clock(), call };
    this.#made.set(trial, call);
    const ended = this.#process(trial, started);
    if (call.stop === null) return ended;
    const overdue = () => this.#threw(call.stop?.signal.reason, started);
    const ms = trial.system.worksInPhases === true ? null : leftOf(this.#limitsOf(trial), call);
    return call.stop.limit(ended, { ms, overdue });
  }

  /** Whatever is odd about an output is its system's fault, and costs this trial alone. */
  async #process({ system, example }: Trial, started: Started): Promise<Attempted> {
    try {
      const pending = system.process(example, started.call.context);
      // Waiting for what is there already would count the work of other trials as this one's time.
      const output = isThenable(pending) ? await pending : pending;
      return billedAndStopped(returned(system, output, this.#since(started)));
    } catch (error) {
      return this.#threw(error, started);
    }
  }

  #threw(error: unknown, started: Started): Attempted {
    return billedAndStopped(threw(error, this.#since(started)));
  }

  #since({ start, call }: Started): Timed {
    return { durationMs: call.workMs ?? microseconds(this.#ports.clock() - start), call };
  }

  #cacheKey(trial: Trial, seed: number, known: Known): string {
    known.fingerprint ??= fingerprintOf(trial.system, "process");
    // What the examples' file is called is not a part of the work.
    const { dataset: _, ...example } = trial.example;
    return digest({ fingerprint: known.fingerprint, example, trial: trial.trial, seed });
  }
}

/** A call that was made, and when. */
interface Started {
  start: number;
  call: Call;
}

/** Bills what a call reports, and marks a trial that was stopped. */
function billedAndStopped(attempted: Attempted): Attempted {
  const { stop, context } = attempted.call;
  if (context.budget !== null) charge(attempted, context.budget);
  return stop === null ? attempted : asStopped(attempted, stop);
}

/** A trial that was stopped is graded on what it left, which may be nothing. */
function asStopped(attempted: Attempted, { reason }: TrialStop): Attempted {
  if (reason === null) return attempted;
  // A system that knows that nothing was measured says so, whatever stopped it.
  if (attempted.kind === "threw" && isTrialError(attempted.error)) return attempted;
  if (attempted.kind === "threw") {
    const { durationMs, call } = attempted;
    return { kind: "returned", output: { stopped: reason }, latency: secondsOf(durationMs), durationMs, call };
  }
  return { ...attempted, output: { ...attempted.output, stopped: attempted.output.stopped ?? reason } };
}

function endOf(attempted: Attempted): CallEnd {
  if (attempted.kind === "returned") return attempted.output.stopped === "time_killed" ? "failed" : "fine";
  if (findOutlook(attempted.error) === "down") return "down";
  return failureOf(attempted.error, 0).errorCategory === "rate_limit" ? "rate_limited" : "failed";
}

function findOutlook(error: unknown): Outlook | null {
  return isTrialError(error) ? (error.outlook ?? null) : null;
}

/** How long a trial may still take inside its system, over all its calls. */
function leftOf(limits: Limits | null, { insideMs }: Call): number | null {
  const most = limits?.hardTimeoutMs ?? null;
  return most === null ? null : Math.max(1, most - insideMs);
}

/** False for what was stopped, and for work that is not all written down: from the cache it could not be graded as it was. */
function isWhole({ stopped, workspace }: Output): boolean {
  return stopped == null && workspace?.incomplete == null;
}

/** What is the same for all trials of a system. */
interface Known {
  readonly gate: TrialGate | null;
  /** Null where no system is stopped. */
  readonly refusals: Refusals | null;
  fingerprint: string | null;
}

const NOTHING_KNOWN: Known = { gate: null, refusals: null, fingerprint: null };

/** Milliseconds to the microsecond: what lies below is noise, and long digits are most of a stored row. */
function microseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function fromCache({ output, latency }: CachedOutput, call: Call): Attempted {
  call.stop?.release();
  // Older caches hold how long a recording took to read.
  const time = call.wasPaid ? recordedTime(output.latency) : { latency, durationMs: latency * 1000 };
  call.wasPaid = true;
  return billedAndStopped({ kind: "returned", output, ...time, call });
}

/**
 * Lets a system ask whether its trial would pass as it stands, where every evaluator can tell while the work is going on;
 * undefined where one cannot.
 */
function watchOf(trial: Trial, threshold: number, signal: AbortSignal): TrialContext["passes"] {
  const { evaluators } = trial.wiring;
  const canWatch =
    evaluators.length > 0 && evaluators.every((evaluator) => evaluator.canWatch?.(trial.example) === true);
  if (!canWatch) return undefined;
  return async (soFar: Output) => {
    const { primaryField, scores } = await score(trial, soFar, { signal });
    const value = primaryField === null ? undefined : scores[primaryField];
    return value !== undefined && value >= threshold;
  };
}
