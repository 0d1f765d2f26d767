import { getErrorMessage, getRetry, isThenable, type Limits, type TrialContext } from "../core/index.js";
import type { Trial } from "./admit.js";
import {
  type AttemptResult,
  type AttemptSuccess,
  chargeAndMarkStopped,
  createTrialSeeder,
  roundToMicroseconds,
  type SystemCall,
  type TimedCall,
  toAttemptFailure,
  toAttemptResult,
} from "./call.js";
import { findOutlook, toFailedAttempt } from "./failure.js";
import { type CallEnd, NotRunError, RefusalTracker, type TrialGate } from "./gate.js";
import { type BudgetWarnings, computeRemainingMs, openLimitedCall } from "./limits.js";
import type { ChainPorts } from "./ports.js";
import { RetryTimer } from "./retry.js";
import { TrialCache } from "./trial-cache.js";

export interface SystemCallerOptions {
  seed: number;
  /** By system: the gate of its endpoint. */
  gates: readonly (TrialGate | null)[];
  limitsOf: (trial: Trial) => Limits | null;
  /** Lets a system ask whether its trial would pass in its current state; undefined if nothing can tell. */
  createPassProbe: (trial: Trial) => TrialContext["passes"];
  warnings: BudgetWarnings;
  /** By system: why its trials are not run; null for those that are. */
  barred?: readonly (string | null)[];
}

/** Calls systems, or returns their cached output when they did the same work before. */
export class SystemCaller {
  readonly #ports: ChainPorts;
  readonly #options: SystemCallerOptions;
  readonly #seedOf: (trial: Trial) => number;
  readonly #endpoints: readonly Endpoint[];
  readonly #cache: TrialCache;
  readonly #retries: RetryTimer;
  /** Calls of unfinished trials. A WeakMap, because the old copies of a growing and shrinking Map keep trials alive. */
  readonly #made = new WeakMap<Trial, SystemCall>();

  constructor(ports: ChainPorts, options: SystemCallerOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#seedOf = createTrialSeeder(options.seed);
    const watches = ports.outage !== undefined;
    this.#endpoints = options.gates.map((gate) => ({ gate, refusals: watches ? new RefusalTracker() : null }));
    this.#cache = new TrialCache(ports.cache);
    this.#retries = new RetryTimer(ports, options.seed);
  }

  /** Cache, gate, call, retry. The budget is opened first and charged by the call. */
  async attempt(trial: Trial): Promise<AttemptResult> {
    const endpoint = this.#endpoints[trial.systemIndex] ?? NO_ENDPOINT;
    const call = this.#open(trial);
    const cached = await this.#cache.read(trial, call);
    if (cached !== null) return cached;
    const barred = this.#options.barred?.[trial.systemIndex] ?? null;
    const refusal = barred === null ? await this.#enterGate(call, endpoint) : new NotRunError(barred);
    let result: AttemptResult =
      refusal === null
        ? await this.#callAndLeaveGate(trial, call, endpoint)
        : toAttemptFailure(refusal, { durationMs: 0, call });
    while (result.kind === "threw" && (await this.#prepareRetry(result, endpoint)))
      result = await this.#callAndLeaveGate(trial, call, endpoint);
    call.stop?.release();
    return result;
  }

  /** Caches the output of a call. */
  cacheOutput(success: AttemptSuccess): Promise<void> {
    return this.#cache.write(success);
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
    return this.#retries.describeWaiting();
  }

  #open(trial: Trial): SystemCall {
    const { limitsOf, warnings, createPassProbe } = this.#options;
    const seed = this.#seedOf(trial);
    const call = openLimitedCall({ trial, seed, limits: limitsOf(trial), ports: this.#ports, warnings });
    const passes = trial.datasetPlan.canWatch ? createPassProbe(trial) : undefined;
    if (passes !== undefined) call.context.passes = passes;
    return call;
  }

  /** Enters the gate of the endpoint. Returns null, or the reason why the call was not admitted. */
  async #enterGate(call: SystemCall, { gate, refusals }: Endpoint): Promise<unknown> {
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

  async #callAndLeaveGate(trial: Trial, call: SystemCall, { refusals }: Endpoint): Promise<AttemptResult> {
    const result = await this.#call(trial, call);
    refusals?.record(result);
    const error = result.kind === "threw" ? result.error : null;
    const afterMs = getRetry(error)?.afterMs ?? 0;
    // A wait longer than this trial would accept is not imposed on others: each finds out for itself, and the run ends.
    const pauseMs = afterMs <= this.#ports.retry.maxWaitMs ? afterMs : 0;
    call.leaveGate?.(toCallEnd(result), pauseMs, error === null ? "" : getErrorMessage(error));
    return result;
  }

  async #call(trial: Trial, call: SystemCall): Promise<AttemptResult> {
    const start = this.#ports.clock();
    this.#made.set(trial, call);
    const pending = this.#process(trial, call, start);
    if (call.stop === null) return pending;
    const overdue = () => this.#toFailure(call.stop?.signal.reason, call, start);
    const ms = trial.system.worksInPhases === true ? null : computeRemainingMs(this.#options.limitsOf(trial), call);
    return call.stop.waitWithLimit(pending, { ms, overdue });
  }

  /** Any problem with an output is an error of its system and affects only this trial. */
  async #process({ system, example }: Trial, call: SystemCall, start: number): Promise<AttemptResult> {
    try {
      const pending = system.process(example, call.context);
      // Awaiting a plain value would count the work of other trials as time of this one.
      const output = isThenable(pending) ? await pending : pending;
      return chargeAndMarkStopped(toAttemptResult(system, output, this.#measure(call, start)));
    } catch (error) {
      return this.#toFailure(error, call, start);
    }
  }

  #toFailure(error: unknown, call: SystemCall, start: number): AttemptResult {
    return chargeAndMarkStopped(toAttemptFailure(error, this.#measure(call, start)));
  }

  #measure(call: SystemCall, start: number): TimedCall {
    return { durationMs: call.workMs ?? roundToMicroseconds(this.#ports.clock() - start), call };
  }

  /** Waits and enters the gate again. Returns false if the failure stands. */
  async #prepareRetry(
    { error, durationMs, call }: AttemptResult & { kind: "threw" },
    endpoint: Endpoint,
  ): Promise<boolean> {
    const waitedMs = await this.#retries.wait(error, call, endpoint.gate);
    if (waitedMs === null || (await this.#enterGate(call, endpoint)) !== null) return false;
    call.failed = [...call.failed, toFailedAttempt(error, durationMs)];
    call.lostMs += durationMs + waitedMs;
    call.insideMs += durationMs;
    call.workMs = null;
    return true;
  }
}

/** What all trials of a system share. */
interface Endpoint {
  readonly gate: TrialGate | null;
  /** Null if systems are never stopped for refusals. */
  readonly refusals: RefusalTracker | null;
}

const NO_ENDPOINT: Endpoint = { gate: null, refusals: null };

function toCallEnd(result: AttemptResult): CallEnd {
  if (result.kind === "returned") return result.output.stopped === "time_killed" ? "failed" : "fine";
  if (findOutlook(result.error) === "down") return "down";
  return toFailedAttempt(result.error, 0).errorCategory === "rate_limit" ? "rate_limited" : "failed";
}
