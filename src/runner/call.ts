import type { Attempt, TrialKey } from "../core/index.js";
import {
  describeValue,
  findOutputProblem,
  getErrorMessage,
  isTrialError,
  type Output,
  type ScoringCost,
  ShapeError,
  STOP_REASONS,
  type StopReason,
  type System,
  type TrialBill,
  type TrialBudget,
  type TrialContext,
  TrialError,
} from "../core/index.js";
import { createSeedHasher } from "../stats/index.js";
import type { Trial } from "./admit.js";
import { chargeUsage, resolveCost } from "./cost.js";
import type { CallEnd } from "./gate.js";
import type { TrialStopper } from "./limits.js";
import { SpendingMeter } from "./spending-meter.js";

/** The calls of one trial to its system. */
export interface SystemCall {
  readonly context: TrialContext;
  /** What a simulated user has spent, in all calls. */
  readonly userMeter: UserMeter;
  /** Messages that the system logged. */
  readonly messages: readonly string[];
  readonly budget: TrialBill | null;
  readonly stop: TrialStopper | null;
  /** Failed calls that were retried. */
  failed: readonly Attempt[];
  /** Milliseconds before the successful call: failed calls and the waits between them. */
  lostMs: number;
  /** Milliseconds inside the failed calls. */
  insideMs: number;
  /** Milliseconds of the work itself, for a system that works in phases; null for all others. */
  workMs: number | null;
  /** Tasks to run when the trial is finished; null for nearly all trials. */
  atEnd: (() => void | Promise<void>)[] | null;
  /** True if the output came from the cache or from a recording. */
  isFromCache: boolean;
  /** True if an earlier start of the run stored the output and paid for it. */
  wasStored: boolean;
  /** True if the run was stopped while the system was working: the cost is unknown. */
  wasCut: boolean;
  /** The key to cache the output under; null if it is not cached. */
  cacheKey: string | null;
  /** Leaves the gate of the endpoint; null while the trial is not inside. */
  leaveGate: ((end: CallEnd, pauseMs?: number, why?: string) => void) | null;
}

/** What a simulated user has spent. */
type UserMeter = Pick<SpendingMeter, "spent" | "isUnknown">;

/** The result of the calls of one trial. */
export type AttemptResult = AttemptSuccess | AttemptFailure;

export interface AttemptSuccess {
  readonly kind: "returned";
  readonly output: Output;
  /** Seconds inside `System.process`, measured when the work was really done; null if unknown. */
  readonly latency: number | null;
  /** Milliseconds inside the successful call; null for replayed work that was never measured. */
  readonly durationMs: number | null;
  readonly call: SystemCall;
}

export interface AttemptFailure {
  readonly kind: "threw";
  readonly error: unknown;
  readonly durationMs: number;
  readonly call: SystemCall;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

export interface SystemCallOptions {
  trial: Trial;
  seed: number;
  signal: AbortSignal;
  budget: TrialBudget | null;
  stop: TrialStopper | null;
}

/** Creates the seeds of the trials: one per example and trial number, the same for every system. */
export function createTrialSeeder(runSeed: number): (trial: Trial) => number {
  const seedOf = createSeedHasher(runSeed);
  return ({ example: { id }, trial }) => seedOf(typeof id === "string" ? id : String(id), trial);
}

/** Plain fields, because a system that wraps another passes on `{ ...trial, signal }`. */
export function openCall({ trial: { trial, system }, seed, signal, budget, stop }: SystemCallOptions): SystemCall {
  const messages: string[] = [];
  const userMeter = new SpendingMeter();
  // A retried call repeats most of its messages.
  const log = (message: string) => {
    const text = getErrorMessage(message);
    if (!messages.includes(text)) messages.push(text);
  };
  return {
    context: { signal, budget, trial, seed, log, userMeter },
    userMeter,
    messages,
    budget,
    stop,
    failed: NO_ATTEMPTS,
    lostMs: 0,
    insideMs: 0,
    workMs: null,
    atEnd: null,
    isFromCache: system.isRecorded === true,
    wasStored: false,
    wasCut: false,
    cacheKey: null,
    leaveGate: null,
  };
}

/** Checks what a system returned. An invalid output becomes a failure. */
export function toAttemptResult(system: System, output: unknown, { durationMs, call }: TimedCall): AttemptResult {
  if (!isOutput(output)) return toAttemptFailure(createOutputShapeError(system, output), { durationMs, call });
  const problem = findOutputProblem(output);
  if (problem !== null)
    return toAttemptFailure(createOutputContentError(system, output, problem), { durationMs, call });
  if (!isValidStopReason(output.stopped))
    return toAttemptFailure(createStopReasonError(system, output), { durationMs, call });
  if (call.isFromCache) return { kind: "returned", output, ...readRecordedTime(output.latency), call };
  if (output.latency === null) return { kind: "returned", output, latency: null, durationMs: null, call };
  const latency = isDuration(output.latency) ? output.latency : msToSeconds(durationMs);
  return { kind: "returned", output, latency, durationMs, call };
}

/** The recorded duration of replayed work, never the time it took to read the recording. */
export function readRecordedTime(latency: unknown): Pick<AttemptSuccess, "latency" | "durationMs"> {
  // Recordings write 0 for a time that was not measured.
  if (!isDuration(latency) || latency === 0) return { latency: null, durationMs: null };
  return { latency, durationMs: Math.round(latency * 1e6) / 1000 };
}

/** Rounds to microseconds: a plain division leaves up to seventeen digits in every row. */
function msToSeconds(durationMs: number): number {
  return Math.round(durationMs * 1000) / 1e6;
}

export function toAttemptFailure(error: unknown, { durationMs, call }: TimedCall): AttemptFailure {
  return { kind: "threw", error, durationMs, call };
}

/** Rounds to microseconds: smaller digits are noise and would make up most of a stored row. */
export function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

export interface TimedCall {
  durationMs: number;
  call: SystemCall;
}

/** Charges the usage that a call reports, and marks a trial that was stopped. */
export function chargeAndMarkStopped(attempted: AttemptResult): AttemptResult {
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

function isOutput(output: unknown): output is Output {
  return typeof output === "object" && output !== null && !Array.isArray(output);
}

/** Recordings write null for an output that was not stopped. */
function isValidStopReason(stopped: unknown): stopped is StopReason | null | undefined {
  return stopped == null || STOP_REASONS.some((reason) => reason === stopped);
}

function isDuration(latency: unknown): latency is number {
  return typeof latency === "number" && latency >= 0 && latency < Number.POSITIVE_INFINITY;
}

/** The call was made even if its output is invalid, so its usage is charged. */
function createStopReasonError(system: System, output: Output): TrialError {
  return new TrialError(
    "system_error",
    `The system "${system.name}" returned \`stopped\`: ${describeValue(output.stopped)}. It must be one of ${STOP_REASONS.join(", ")}, or be omitted.`,
    { spent: output },
  );
}

function createOutputShapeError(system: System, output: unknown): ShapeError {
  return new ShapeError(
    `The system "${system.name}" returned ${describeValue(output)}. process() must return an object like { response: "…" } or { context: "…" }.`,
  );
}

function createOutputContentError(system: System, output: Output, problem: string): TrialError {
  return new TrialError(
    "system_error",
    `The system "${system.name}" returned an output that ${problem}. process() must return text, like { response: "…" } or { context: "…" }.`,
    { spent: output },
  );
}

/** An output that is not graded yet, with everything its row needs to know about the call. */
export interface UngradedOutput extends TrialKey {
  readonly output: Output;
  readonly call: StoredCall;
}

/** What the row of a trial says about the calls that produced its output. */
export interface StoredCall {
  readonly latency: number | null;
  readonly durationMs: number | null;
  /** Omitted if no call failed. */
  readonly lostMs?: number;
  readonly attempts?: readonly Attempt[];
  /** Omitted if the system logged nothing. */
  readonly notes?: readonly string[];
  /** Omitted if the price of the system is unknown. */
  readonly bill?: StoredBill;
  /** What a simulated user spent; omitted if nothing. */
  readonly user?: ScoringCost;
}

type StoredBill = Omit<TrialBill, "bill"> & { readonly costUsd: number };

export function toStoredCall({ latency, durationMs, call }: AttemptSuccess): StoredCall {
  return {
    latency,
    durationMs,
    ...(call.failed.length > 0 && { lostMs: call.lostMs, attempts: call.failed }),
    ...(call.messages.length > 0 && { notes: call.messages }),
    ...(call.budget !== null && { bill: toStoredBill(call.budget) }),
    ...(call.userMeter.spent !== null && { user: call.userMeter.spent }),
  };
}

function toStoredBill({ bill, usage, costKilledAt, isEstimated, isPriced, maxCostUsd }: TrialBill): StoredBill {
  return { costUsd: bill.costUsd, usage: { ...usage }, costKilledAt, isEstimated, isPriced, maxCostUsd };
}

/** Turns an output that an earlier start of the run stored into the result of a call. */
export function restoreAttempt({ output, call: stored }: UngradedOutput, options: SystemCallOptions): AttemptSuccess {
  const { latency, durationMs, lostMs = 0, attempts = [], notes = [], bill, user = null } = stored;
  const budget = bill === undefined ? null : restoreBill(bill);
  const call = {
    ...openCall(options),
    messages: notes,
    budget,
    userMeter: { spent: user, isUnknown: user !== null && user.costUsd === null },
    failed: attempts,
    lostMs,
    isFromCache: false,
    wasStored: true,
  };
  return { kind: "returned", output, latency, durationMs, call };
}

function restoreBill({ costUsd, ...rest }: StoredBill): TrialBill {
  return { ...rest, bill: { costUsd, exceeded: rest.costKilledAt > 0 } };
}

/** The cost of the calls that produced a stored output; null if unknown. */
export function computeStoredCost(output: Output, { bill, user }: StoredCall): number | null {
  const { costUsd } = resolveCost(output, bill === undefined ? null : restoreBill(bill));
  const userUsd = user?.costUsd ?? null;
  return userUsd === null ? costUsd : (costUsd ?? 0) + userUsd;
}
