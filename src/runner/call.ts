import { messageOf, ShapeError, TrialError } from "../core/errors.js";
import { findOutputProblem } from "../core/output-problem.js";
import type { Attempt } from "../core/row.js";
import { describe } from "../core/shape.js";
import {
  type Output,
  STOP_REASONS,
  type StopReason,
  type System,
  type TrialBill,
  type TrialBudget,
  type TrialContext,
} from "../core/system.js";
import { hashSeedsOf } from "../stats/index.js";
import type { Trial } from "./admit.js";
import type { CallEnd } from "./gate.js";
import type { TrialStop } from "./trial-stop.js";

/** One trial's dealings with its system. */
export interface Call {
  readonly context: TrialContext;
  /** What the system said meanwhile. */
  readonly messages: readonly string[];
  readonly budget: TrialBill | null;
  readonly stop: TrialStop | null;
  /** Calls that failed before and were made again. */
  failed: readonly Attempt[];
  /** Milliseconds before the call that counts: of the failed ones, and of waiting between them. */
  lostMs: number;
  /** Milliseconds inside the failed calls. */
  insideMs: number;
  /** Milliseconds of the work itself, from a system that works in phases; null from all others. */
  workMs: number | null;
  /** What is to be done when the trial is over; null for nearly all. */
  atEnd: (() => void | Promise<void>)[] | null;
  /** True when the output was there already, in the cache or in a recording. */
  wasPaid: boolean;
  /** True when an earlier start of the run has stored the output, and has paid for it. */
  wasStored: boolean;
  /** True when the run was stopped while the system was at work: nobody knows what that has cost. */
  wasCut: boolean;
  /** Under which the output is to be cached; null when it is not. */
  cacheKey: string | null;
  /** Gives the place at the endpoint back; null while there is none. */
  leaveGate: ((end: CallEnd, pauseMs?: number, why?: string) => void) | null;
}

/** What the calls of one trial gave. */
export type Attempted = Returned | Threw;

export interface Returned {
  readonly kind: "returned";
  readonly output: Output;
  /** Seconds inside `System.process`, as measured when the work was really done; null when nobody has. */
  readonly latency: number | null;
  /** Milliseconds inside the call that counts; null when nobody has measured the work that is repeated. */
  readonly durationMs: number | null;
  readonly call: Call;
}

export interface Threw {
  readonly kind: "threw";
  readonly error: unknown;
  readonly durationMs: number;
  readonly call: Call;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

export interface CallOptions {
  trial: Trial;
  seed: number;
  signal: AbortSignal;
  budget: TrialBudget | null;
  stop: TrialStop | null;
}

/** The seeds of a run's trials: one for each example and number of a trial, whatever the system. */
export function trialSeeds(runSeed: number): (trial: Trial) => number {
  const seedOf = hashSeedsOf(runSeed);
  return ({ example: { id }, trial }) => seedOf(typeof id === "string" ? id : String(id), trial);
}

/** Plain fields: a system that wraps another hands on `{ ...trial, signal }`. */
export function openCall({ trial: { trial, system }, seed, signal, budget, stop }: CallOptions): Call {
  const messages: string[] = [];
  // A call that is made again says most of it again.
  const log = (message: string) => {
    const text = messageOf(message);
    if (!messages.includes(text)) messages.push(text);
  };
  return {
    context: { signal, budget, trial, seed, log },
    messages,
    budget,
    stop,
    failed: NO_ATTEMPTS,
    lostMs: 0,
    insideMs: 0,
    workMs: null,
    atEnd: null,
    wasPaid: system.isRecorded === true,
    wasStored: false,
    wasCut: false,
    cacheKey: null,
    leaveGate: null,
  };
}

/** What a system gave back, unless it is no output. */
export function returned(system: System, output: unknown, { durationMs, call }: Timed): Attempted {
  if (!isOutput(output)) return threw(wrongOutput(system, output), { durationMs, call });
  const problem = findOutputProblem(output);
  if (problem !== null) return threw(incompleteOutput(system, output, problem), { durationMs, call });
  if (!isStopReason(output.stopped)) return threw(wrongStop(system, output), { durationMs, call });
  if (call.wasPaid) return { kind: "returned", output, ...recordedTime(output.latency), call };
  const latency = isDuration(output.latency) ? output.latency : secondsOf(durationMs);
  return { kind: "returned", output, latency, durationMs, call };
}

/** How long work took that is only repeated: as recorded, never the moment that reading the recording takes. */
export function recordedTime(latency: unknown): Pick<Returned, "latency" | "durationMs"> {
  // Zero is what records write for a time that nobody measured.
  if (!isDuration(latency) || latency === 0) return { latency: null, durationMs: null };
  return { latency, durationMs: Math.round(latency * 1e6) / 1000 };
}

/** Seconds with no more digits than the microseconds have: a division leaves up to seventeen, which every row would hold. */
export function secondsOf(durationMs: number): number {
  return Math.round(durationMs * 1000) / 1e6;
}

/** A call that ended with an error. */
export function threw(error: unknown, { durationMs, call }: Timed): Threw {
  return { kind: "threw", error, durationMs, call };
}

/** How long which call took. */
export interface Timed {
  durationMs: number;
  call: Call;
}

function isOutput(output: unknown): output is Output {
  return typeof output === "object" && output !== null && !Array.isArray(output);
}

/** Null is what a recording writes for an output that was not stopped. */
function isStopReason(stopped: unknown): stopped is StopReason | null | undefined {
  return stopped == null || STOP_REASONS.some((reason) => reason === stopped);
}

function isDuration(latency: unknown): latency is number {
  return typeof latency === "number" && latency >= 0 && latency < Number.POSITIVE_INFINITY;
}

/** The call was made, whatever is wrong with its output: what it used is billed. */
function wrongStop(system: System, output: Output): TrialError {
  return new TrialError(
    "system_error",
    `The system "${system.name}" returned \`stopped\`: ${describe(output.stopped)}. It must be one of ${STOP_REASONS.join(", ")}, or be left out.`,
    { spent: output },
  );
}

function wrongOutput(system: System, output: unknown): ShapeError {
  return new ShapeError(
    `The system "${system.name}" returned ${describe(output)}. process() must return an object such as { response: "…" } or { context: "…" }.`,
  );
}

function incompleteOutput(system: System, output: Output, problem: string): TrialError {
  return new TrialError(
    "system_error",
    `The system "${system.name}" returned an output that ${problem}. process() must return text, such as { response: "…" } or { context: "…" }.`,
    { spent: output },
  );
}
