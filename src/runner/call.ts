import { messageOf, ShapeError, TrialError, TrialStopped } from "../core/errors.js";
import { findOutputProblem } from "../core/output-problem.js";
import type { Attempt, TrialKey } from "../core/row.js";
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
import { billed } from "./cost.js";
import type { CallEnd } from "./gate.js";

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

/** How long a trial that was told to stop may take to do so, unless its system says otherwise. */
export const GRACE_MS = 2000;

/** Node's timers take no more, and fire at once when they are given more. */
const LONGEST_TIMER = 2 ** 31 - 1;

type Reason = TrialStopped["stopped"];

/** Stops one trial: when the run is stopped, when its time is up, when it has cost too much. */
export class TrialStop {
  readonly #controller = new AbortController();
  readonly #run: AbortSignal;
  readonly #graceMs: number;
  #reason: Reason | null = null;
  #clock: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #onOverdue: (() => void) | null = null;
  #isOver = false;

  constructor(run: AbortSignal, graceMs = GRACE_MS) {
    this.#run = run;
    this.#graceMs = graceMs;
    if (run.aborted) this.#controller.abort(run.reason);
    else run.addEventListener("abort", this.#onRunStopped, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the trial itself was stopped; null when it was not. */
  get reason(): Reason | null {
    return this.#reason;
  }

  stop(reason: Reason): void {
    if (this.signal.aborted || this.#isOver) return;
    this.#reason = reason;
    this.#controller.abort(new TrialStopped(reason));
    this.#grace = setTimeout(() => this.#onOverdue?.(), this.#graceMs);
  }

  /** Waits for the trial's call, for `ms` at most; `overdue` speaks for one that was told to stop and does not. */
  async limit<T>(pending: PromiseLike<T>, { ms, overdue }: { ms: number | null; overdue: () => T }): Promise<T> {
    this.startClock(ms);
    const late = new Promise<T>((resolve) => {
      this.#onOverdue = () => resolve(overdue());
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      this.stopClock();
    }
  }

  /** From now on the trial may take this long. */
  startClock(ms: number | null): void {
    if (ms !== null) this.#clock = setTimeout(() => this.stop("time_killed"), Math.min(ms, LONGEST_TIMER));
  }

  stopClock(): void {
    clearTimeout(this.#clock);
  }

  /** Call when the trial is over. */
  release(): void {
    this.#isOver = true;
    clearTimeout(this.#grace);
    this.#run.removeEventListener("abort", this.#onRunStopped);
  }

  readonly #onRunStopped = () => {
    clearTimeout(this.#clock);
    this.#controller.abort(this.#run.reason);
  };
}

/** Trials under way that have used up much of what they may cost. */
export class Alarms {
  readonly #shares = new Map<Trial, number>();
  readonly #onChange: (warning: string | null) => void;

  constructor(onChange: (warning: string | null) => void) {
    this.#onChange = onChange;
  }

  /** A trial has exceeded this share of its limit. */
  raise(trial: Trial, share: number): void {
    this.#shares.set(trial, share);
    this.#onChange(this.#words());
  }

  /** The trial is over. */
  clear(trial: Trial): void {
    if (this.#shares.delete(trial)) this.#onChange(this.#words());
  }

  #words(): string | null {
    const highest = [...this.#shares].sort(([, a], [, b]) => b - a)[0];
    if (highest === undefined) return null;
    const [{ system, example }, share] = highest;
    const others = this.#shares.size - 1;
    const more = others === 0 ? "" : ` (and ${others} more near theirs)`;
    return `${system.name} on ${example.id} is over ${share * 100} % of its budget${more}`;
  }
}

/** An output that is not graded yet, with all that its row will say of the call. */
export interface UngradedOutput extends TrialKey {
  readonly output: Output;
  readonly call: StoredCall;
}

/** What the row of a trial says of the calls that gave its output. */
export interface StoredCall {
  readonly latency: number | null;
  readonly durationMs: number | null;
  /** Left out when no call failed before. */
  readonly lostMs?: number;
  readonly attempts?: readonly Attempt[];
  /** Left out when the system said nothing. */
  readonly notes?: readonly string[];
  /** Left out when nothing is known of what the system costs. */
  readonly bill?: StoredBill;
}

type StoredBill = Omit<TrialBill, "bill"> & { readonly costUsd: number };

/** What is to be stored of a call that gave an output. */
export function storedCall({ latency, durationMs, call }: Returned): StoredCall {
  return {
    latency,
    durationMs,
    ...(call.failed.length > 0 && { lostMs: call.lostMs, attempts: call.failed }),
    ...(call.messages.length > 0 && { notes: call.messages }),
    ...(call.budget !== null && { bill: storedBill(call.budget) }),
  };
}

function storedBill({ bill, usage, costKilledAt, isEstimated, isPriced, maxCostUsd }: TrialBill): StoredBill {
  return { costUsd: bill.costUsd, usage: { ...usage }, costKilledAt, isEstimated, isPriced, maxCostUsd };
}

/** An output that an earlier start of the run has stored, as if its system had returned it just now. */
export function restored({ output, call: stored }: UngradedOutput, options: CallOptions): Returned {
  const { latency, durationMs, lostMs = 0, attempts = [], notes = [], bill } = stored;
  const budget = bill === undefined ? null : restoredBill(bill);
  const call = {
    ...openCall(options),
    messages: notes,
    budget,
    failed: attempts,
    lostMs,
    wasPaid: false,
    wasStored: true,
  };
  return { kind: "returned", output, latency, durationMs, call };
}

function restoredBill({ costUsd, ...rest }: StoredBill): TrialBill {
  return { ...rest, bill: { costUsd, exceeded: rest.costKilledAt > 0 } };
}

/** What the calls that gave a stored output have cost; null when nobody knows. */
export function storedCost(output: Output, { bill }: StoredCall): number | null {
  return billed(output, bill === undefined ? null : restoredBill(bill)).costUsd;
}
