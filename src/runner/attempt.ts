import { setTimeout as sleep } from "node:timers/promises";
import type { Limits, Output, TrialContext } from "../core/index.js";
import {
  computeFingerprint,
  computeRetryDelay,
  digest,
  findOutputProblem,
  getErrorMessage,
  getRetry,
  isThenable,
  isTrialError,
  type Outlook,
} from "../core/index.js";
import { createRandom, hashSeed } from "../stats/index.js";
import type { Trial } from "./admit.js";
import {
  type AttemptResult,
  type AttemptSuccess,
  type BudgetWarnings,
  createTrialSeeder,
  msToSeconds,
  openCall,
  readRecordedTime,
  type SystemCall,
  type TimedCall,
  TrialStopper,
  toAttemptFailure,
  toAttemptResult,
} from "./call.js";
import { toFailedAttempt } from "./classify.js";
import { chargeUsage } from "./cost.js";
import { type CallEnd, NotRunError, RefusalTracker, type TrialGate } from "./gate.js";
import type { CachedOutput, ChainPorts } from "./ports.js";
import { scoreOutput } from "./score.js";

export interface SystemCallerOptions {
  seed: number;
  /** By system: the gate of its endpoint. */
  gates: readonly (TrialGate | null)[];
  limitsOf: (trial: Trial) => Limits | null;
  threshold: number;
  warnings: BudgetWarnings;
}

/** Calls systems, or returns their cached output when they did the same work before. */
export class SystemCaller {
  readonly #ports: ChainPorts;
  readonly #seedOf: (trial: Trial) => number;
  readonly #threshold: number;
  readonly #warnings: BudgetWarnings;
  readonly #known: readonly SystemCallState[];
  readonly #limitsOf: (trial: Trial) => Limits | null;
  readonly #random: () => number;
  /** Calls of unfinished trials. A WeakMap, because the old copies of a growing and shrinking Map keep trials alive. */
  readonly #made = new WeakMap<Trial, SystemCall>();
  #sleeping = 0;
  #lastFailure: unknown;

  constructor(ports: ChainPorts, { seed, gates, limitsOf, threshold, warnings }: SystemCallerOptions) {
    this.#ports = ports;
    this.#seedOf = createTrialSeeder(seed);
    this.#threshold = threshold;
    this.#warnings = warnings;
    const watches = ports.outage !== undefined;
    this.#known = gates.map((gate) => ({ gate, fingerprint: null, refusals: watches ? new RefusalTracker() : null }));
    this.#limitsOf = limitsOf;
    this.#random = createRandom(hashSeed(seed, "retries")).next;
  }

  async attempt(trial: Trial): Promise<AttemptResult> {
    const known = this.#known[trial.systemIndex] ?? NO_CALL_STATE;
    const call = this.#open(trial, this.#limitsOf(trial));
    return this.#ports.cache === null
      ? this.#callWithRetries(call, trial, known)
      : this.#callUnlessCached(call, trial, known);
  }

  #open(trial: Trial, limits: Limits | null): SystemCall {
    const call = this.#openWithLimits(trial, limits);
    if (trial.datasetPlan.canWatch) {
      const passes = createPassProbe(trial, this.#threshold, this.#ports.signal);
      if (passes !== undefined) call.context.passes = passes;
    }
    if (trial.system.worksInPhases === true) this.#addPhases(call, limits);
    return call;
  }

  #openWithLimits(trial: Trial, limits: Limits | null): SystemCall {
    const { signal, budget } = this.#ports;
    if (limits === null) return openCall({ trial, seed: this.#seedOf(trial), signal, budget: null, stop: null });
    const stop = new TrialStopper(signal, trial.system.graceMs);
    const bill = budget.open(limits, {
      onExceeded: () => stop.stop("cost_killed"),
      onShare: (share) => this.#warnings.raise(trial, share),
    });
    return openCall({ trial, seed: this.#seedOf(trial), signal: stop.signal, budget: bill, stop });
  }

  #addPhases(call: SystemCall, limits: Limits | null): void {
    const clock = () => this.#ports.clock();
    call.context.atEnd = (task) => {
      call.atEnd = [...(call.atEnd ?? []), task];
    };
    call.context.timed = async (work) => {
      const start = clock();
      call.stop?.startClock(computeRemainingMs(limits, call));
      try {
        return await work();
      } finally {
        call.stop?.stopClock();
        call.workMs = roundToMicroseconds(clock() - start);
      }
    };
  }

  async #callUnlessCached(call: SystemCall, trial: Trial, known: SystemCallState): Promise<AttemptResult> {
    const key = this.#computeCacheKey(trial, call.context.seed, known);
    const cached = await this.#ports.cache?.get(key);
    // Older versions cached outputs without any text.
    if (cached != null && findOutputProblem(cached.output) === null) return toCachedResult(cached, call);
    call.cacheKey = key;
    return this.#callWithRetries(call, trial, known);
  }

  /** Makes the call, and repeats it while it fails before any output and may be retried. */
  async #callWithRetries(call: SystemCall, trial: Trial, known: SystemCallState): Promise<AttemptResult> {
    const closed = await this.#enterGate(call, known);
    let attempted =
      closed === null
        ? await this.#callAndLeaveGate(call, trial, known)
        : toAttemptFailure(closed, { durationMs: 0, call });
    let waitedMs = 0;
    for (let failed = 1; attempted.kind === "threw"; failed++) {
      const { error, durationMs } = attempted;
      const wait = this.#computeRetryDelay(error, known, { failed, waitedMs });
      if (wait === null || !(await this.#sleep(wait, error))) break;
      // If the gate does not admit the trial again, the earlier failure stands: no call was made since.
      if ((await this.#enterGate(call, known)) !== null) break;
      waitedMs += wait;
      call.failed = [...call.failed, toFailedAttempt(error, durationMs)];
      call.lostMs += durationMs + wait;
      call.insideMs += durationMs;
      call.workMs = null;
      attempted = await this.#callAndLeaveGate(call, trial, known);
    }
    call.stop?.release();
    return attempted;
  }

  /** Milliseconds to wait before the next attempt; null if there is none. */
  #computeRetryDelay(
    error: unknown,
    { gate }: SystemCallState,
    so: { failed: number; waitedMs: number },
  ): number | null {
    const { retry: policy } = this.#ports;
    // While the endpoint is down, the trial waits at the gate for as long as the outage policy allows.
    if (gate?.isDown === true && findOutlook(error) === "down") return policy.maxRetries === 0 ? null : 0;
    const retry = getRetry(error);
    return retry === null ? null : computeRetryDelay(retry, so, { policy, random: this.#random });
  }

  /** Caches the output of a call. A failed cache write adds a note; the trial is not affected. */
  async cacheOutput({ output, latency, call }: AttemptSuccess): Promise<void> {
    // Recorded outputs need no cache entry.
    if (call.cacheKey === null || call.isFromCache || latency === null || !isCacheable(output)) return;
    try {
      await this.#ports.cache?.put(call.cacheKey, { output, latency });
    } catch (error) {
      call.context.log(`the output was not cached: ${getErrorMessage(error)}`);
    }
  }

  /** Returns the call of a trial, or null while the trial still waits to be called. */
  getCall(trial: Trial): SystemCall | null {
    return this.#made.get(trial) ?? null;
  }

  /** Call when a trial is finished. */
  forget(trial: Trial): void {
    this.#made.delete(trial);
  }

  /** Describes why calls wait to be retried; null if none does. */
  waiting(): string | null {
    return this.#sleeping === 0 ? null : `${this.#sleeping} to be retried after: ${getErrorMessage(this.#lastFailure)}`;
  }

  /** Returns false if the run was stopped while waiting. */
  async #sleep(ms: number, failure: unknown): Promise<boolean> {
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
  async #enterGate(call: SystemCall, { gate, refusals }: SystemCallState): Promise<unknown> {
    if (refusals !== null && refusals.reason !== null) return new NotRunError(refusals.reason);
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
    return new NotRunError(refusals.reason);
  }

  /** Makes one call and leaves the gate. */
  async #callAndLeaveGate(call: SystemCall, trial: Trial, { refusals }: SystemCallState): Promise<AttemptResult> {
    const attempted = await this.#call(call, trial);
    refusals?.record(attempted);
    const error = attempted.kind === "threw" ? attempted.error : null;
    const afterMs = getRetry(error)?.afterMs ?? 0;
    // A wait longer than this trial would accept is not imposed on others: each finds out for itself, and the run ends.
    const pauseMs = afterMs <= this.#ports.retry.maxWaitMs ? afterMs : 0;
    call.leaveGate?.(toCallEnd(attempted), pauseMs, error === null ? "" : getErrorMessage(error));
    return attempted;
  }

  async #call(call: SystemCall, trial: Trial): Promise<AttemptResult> {
    const started = { start: this.#ports.clock(), call };
    this.#made.set(trial, call);
    const ended = this.#process(trial, started);
    if (call.stop === null) return ended;
    const overdue = () => this.#toFailure(call.stop?.signal.reason, started);
    const ms = trial.system.worksInPhases === true ? null : computeRemainingMs(this.#limitsOf(trial), call);
    return call.stop.waitWithLimit(ended, { ms, overdue });
  }

  /** Any problem with an output is an error of its system and affects only this trial. */
  async #process({ system, example }: Trial, started: StartedCall): Promise<AttemptResult> {
    try {
      const pending = system.process(example, started.call.context);
      // Awaiting a plain value would count the work of other trials as time of this one.
      const output = isThenable(pending) ? await pending : pending;
      return chargeAndMarkStopped(toAttemptResult(system, output, this.#measureCall(started)));
    } catch (error) {
      return this.#toFailure(error, started);
    }
  }

  #toFailure(error: unknown, started: StartedCall): AttemptResult {
    return chargeAndMarkStopped(toAttemptFailure(error, this.#measureCall(started)));
  }

  #measureCall({ start, call }: StartedCall): TimedCall {
    return { durationMs: call.workMs ?? roundToMicroseconds(this.#ports.clock() - start), call };
  }

  #computeCacheKey(trial: Trial, seed: number, known: SystemCallState): string {
    known.fingerprint ??= computeFingerprint(trial.system, "process");
    // The name of the dataset file is not part of the work.
    const { dataset: _, ...example } = trial.example;
    return digest({ fingerprint: known.fingerprint, example, trial: trial.trial, seed });
  }
}

interface StartedCall {
  start: number;
  call: SystemCall;
}

/** Charges the usage that a call reports, and marks a trial that was stopped. */
function chargeAndMarkStopped(attempted: AttemptResult): AttemptResult {
  const { stop, context } = attempted.call;
  if (context.budget !== null) chargeUsage(attempted, context.budget);
  return stop === null ? attempted : markStopped(attempted, stop);
}

/** A stopped trial is graded on what it produced, which may be nothing. */
function markStopped(attempted: AttemptResult, { reason }: TrialStopper): AttemptResult {
  if (reason === null) return attempted;
  // A system that reports that nothing was measured is believed, whatever stopped it.
  if (attempted.kind === "threw" && isTrialError(attempted.error)) return attempted;
  if (attempted.kind === "threw") {
    const { durationMs, call } = attempted;
    return { kind: "returned", output: { stopped: reason }, latency: msToSeconds(durationMs), durationMs, call };
  }
  return { ...attempted, output: { ...attempted.output, stopped: attempted.output.stopped ?? reason } };
}

function toCallEnd(attempted: AttemptResult): CallEnd {
  if (attempted.kind === "returned") return attempted.output.stopped === "time_killed" ? "failed" : "fine";
  if (findOutlook(attempted.error) === "down") return "down";
  return toFailedAttempt(attempted.error, 0).errorCategory === "rate_limit" ? "rate_limited" : "failed";
}

function findOutlook(error: unknown): Outlook | null {
  return isTrialError(error) ? (error.outlook ?? null) : null;
}

/** Time left for a trial inside its system, over all its calls. */
function computeRemainingMs(limits: Limits | null, { insideMs }: SystemCall): number | null {
  const most = limits?.hardTimeoutMs ?? null;
  return most === null ? null : Math.max(1, most - insideMs);
}

/** False for stopped trials and incomplete workspaces: graded from the cache they would score differently. */
function isCacheable({ stopped, workspace }: Output): boolean {
  return stopped == null && workspace?.incomplete == null;
}

/** State shared by all trials of a system. */
interface SystemCallState {
  readonly gate: TrialGate | null;
  /** Null if systems are never stopped for refusals. */
  readonly refusals: RefusalTracker | null;
  fingerprint: string | null;
}

const NO_CALL_STATE: SystemCallState = { gate: null, refusals: null, fingerprint: null };

/** Rounds to microseconds: smaller digits are noise and would make up most of a stored row. */
function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function toCachedResult({ output, latency }: CachedOutput, call: SystemCall): AttemptResult {
  call.stop?.release();
  // Older caches stored how long reading the recording took.
  const time = call.isFromCache ? readRecordedTime(output.latency) : { latency, durationMs: latency * 1000 };
  call.isFromCache = true;
  return chargeAndMarkStopped({ kind: "returned", output, ...time, call });
}

/**
 * Lets a system ask whether its trial would pass in its current state. Undefined unless every evaluator can score
 * unfinished work.
 */
function createPassProbe(trial: Trial, threshold: number, signal: AbortSignal): TrialContext["passes"] {
  const { evaluators } = trial.datasetPlan;
  const canWatch =
    evaluators.length > 0 && evaluators.every((evaluator) => evaluator.canWatch?.(trial.example) === true);
  if (!canWatch) return undefined;
  return async (soFar: Output) => {
    const { primaryField, scores } = await scoreOutput(trial, soFar, { signal });
    const value = primaryField === null ? undefined : scores[primaryField];
    return value !== undefined && value >= threshold;
  };
}
