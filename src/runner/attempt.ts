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
  /** By system: the gate of its endpoint. */
  gates: readonly (TrialGate | null)[];
  limitsOf: (trial: Trial) => Limits | null;
  threshold: number;
  alarms: Alarms;
}

/** Calls systems, or returns their cached output when they did the same work before. */
export class Attempter {
  readonly #ports: ChainPorts;
  readonly #seedOf: (trial: Trial) => number;
  readonly #threshold: number;
  readonly #alarms: Alarms;
  readonly #known: readonly Known[];
  readonly #limitsOf: (trial: Trial) => Limits | null;
  readonly #random: () => number;
  /** Calls of unfinished trials. A WeakMap, because the old copies of a growing and shrinking Map keep trials alive. */
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

  /** Makes the call, and repeats it while it fails before any output and may be retried. */
  async #make(call: Call, trial: Trial, known: Known): Promise<Attempted> {
    const closed = await this.#takePlace(call, known);
    let attempted =
      closed === null ? await this.#callFromPlace(call, trial, known) : threw(closed, { durationMs: 0, call });
    let waitedMs = 0;
    for (let failed = 1; attempted.kind === "threw"; failed++) {
      const { error, durationMs } = attempted;
      const wait = this.#waitAfter(error, known, { failed, waitedMs });
      if (wait === null || !(await this.#slept(wait, error))) break;
      // If the gate does not admit the trial again, the earlier failure stands: no call was made since.
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

  /** Milliseconds to wait before the next attempt; null if there is none. */
  #waitAfter(error: unknown, { gate }: Known, so: { failed: number; waitedMs: number }): number | null {
    const { retry: policy } = this.#ports;
    // While the endpoint is down, the trial waits at the gate for as long as the outage policy allows.
    if (gate?.isDown === true && findOutlook(error) === "down") return policy.maxRetries === 0 ? null : 0;
    const retry = retryOf(error);
    return retry === null ? null : waitBeforeRetry(retry, so, { policy, random: this.#random });
  }

  /** Caches the output of a call. A failed cache write adds a note; the trial is not affected. */
  async remember({ output, latency, call }: Returned): Promise<void> {
    // Recorded outputs need no cache entry.
    if (call.cacheKey === null || call.wasPaid || latency === null || !isWhole(output)) return;
    try {
      await this.#ports.cache?.put(call.cacheKey, { output, latency });
    } catch (error) {
      call.context.log(`the output was not cached: ${messageOf(error)}`);
    }
  }

  /** Returns the call of a trial, or null while the trial still waits to be called. */
  callOf(trial: Trial): Call | null {
    return this.#made.get(trial) ?? null;
  }

  /** Call when a trial is finished. */
  forget(trial: Trial): void {
    this.#made.delete(trial);
  }

  /** Describes why calls wait to be retried; null if none does. */
  waiting(): string | null {
    return this.#sleeping === 0 ? null : `${this.#sleeping} to be retried after: ${messageOf(this.#lastFailure)}`;
  }

  /** Returns false if the run was stopped while waiting. */
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

  /** Enters the gate of the endpoint. Returns null, or the reason why the call was not admitted. */
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

  /** Makes one call and leaves the gate. */
  async #callFromPlace(call: Call, trial: Trial, { refusals }: Known): Promise<Attempted> {
    const attempted = await this.#call(call, trial);
    refusals?.note(attempted);
    const error = attempted.kind === "threw" ? attempted.error : null;
    const afterMs = retryOf(error)?.afterMs ?? 0;
    // A wait longer than this trial would accept is not imposed on others: each finds out for itself, and the run ends.
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

  /** Any problem with an output is an error of its system and affects only this trial. */
  async #process({ system, example }: Trial, started: Started): Promise<Attempted> {
    try {
      const pending = system.process(example, started.call.context);
      // Awaiting a plain value would count the work of other trials as time of this one.
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
    // The name of the dataset file is not part of the work.
    const { dataset: _, ...example } = trial.example;
    return digest({ fingerprint: known.fingerprint, example, trial: trial.trial, seed });
  }
}

interface Started {
  start: number;
  call: Call;
}

/** Charges the usage that a call reports, and marks a trial that was stopped. */
function billedAndStopped(attempted: Attempted): Attempted {
  const { stop, context } = attempted.call;
  if (context.budget !== null) charge(attempted, context.budget);
  return stop === null ? attempted : asStopped(attempted, stop);
}

/** A stopped trial is graded on what it produced, which may be nothing. */
function asStopped(attempted: Attempted, { reason }: TrialStop): Attempted {
  if (reason === null) return attempted;
  // A system that reports that nothing was measured is believed, whatever stopped it.
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

/** Time left for a trial inside its system, over all its calls. */
function leftOf(limits: Limits | null, { insideMs }: Call): number | null {
  const most = limits?.hardTimeoutMs ?? null;
  return most === null ? null : Math.max(1, most - insideMs);
}

/** False for stopped trials and incomplete workspaces: graded from the cache they would score differently. */
function isWhole({ stopped, workspace }: Output): boolean {
  return stopped == null && workspace?.incomplete == null;
}

/** State shared by all trials of a system. */
interface Known {
  readonly gate: TrialGate | null;
  /** Null if systems are never stopped for refusals. */
  readonly refusals: Refusals | null;
  fingerprint: string | null;
}

const NOTHING_KNOWN: Known = { gate: null, refusals: null, fingerprint: null };

/** Rounds to microseconds: smaller digits are noise and would make up most of a stored row. */
function microseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function fromCache({ output, latency }: CachedOutput, call: Call): Attempted {
  call.stop?.release();
  // Older caches stored how long reading the recording took.
  const time = call.wasPaid ? recordedTime(output.latency) : { latency, durationMs: latency * 1000 };
  call.wasPaid = true;
  return billedAndStopped({ kind: "returned", output, ...time, call });
}

/**
 * Lets a system ask whether its trial would pass in its current state. Undefined unless every evaluator can score
 * unfinished work.
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
