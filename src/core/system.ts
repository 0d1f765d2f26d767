import type { WorkspaceState } from "./environment.js";
import type { Example, Turn } from "./example.js";
import type { Limits } from "./price.js";
import type { Trajectory } from "./trajectory.js";

/** Token counts as billed. The classes are disjoint, except that `reasoning` is a part of `output` and `cacheWrite1h` of `cacheWrite`. */
export interface Usage {
  /** Neither read from a cache nor written to one. */
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  reasoning?: number;
}

export const STOP_REASONS = ["cost_killed", "time_killed", "refused", "truncated"] as const;

/** Why a system's output ended before it was complete. Such outputs are graded like any other, never cached. */
export type StopReason = (typeof STOP_REASONS)[number];

/** What came back. Every string field that differs from the example's counts as produced text. */
export interface Output {
  response?: string;
  context?: string;
  usage?: Usage;
  costUsd?: number;
  trajectory?: Trajectory;
  /** What the work left behind in the folder it was done in. */
  workspace?: WorkspaceState;
  stopped?: StopReason;
  /** Seconds the work took, from a system that knows better than the caller's clock, such as a recording. */
  latency?: number;
  ttftMs?: number;
  firstAttemptMs?: number;
  successAtMs?: number;
  /** Turns taken. An example that is handed on carries its own list of turns here, which is no measurement. */
  turns?: number | Turn[];
  tokensPerSec?: number;
  /** Usage or cost is known to be incomplete. */
  partial?: boolean;
  /** The order of options that it saw, as positions in the dataset's file, where that is not the example's. */
  choice_order?: readonly number[];
  /** Copied to the row as it is. */
  metadata?: Record<string, unknown>;
  [key: string]: unknown;
}

/** What a trial has cost so far. The same object is handed out every time: read it, do not keep it. */
export interface Bill {
  readonly costUsd: number;
  /** Once true it stays so. */
  readonly exceeded: boolean;
}

/** What a meter that prices by itself, such as the gateway, has counted for a trial so far. */
export interface MeteredTotal {
  readonly usage: Readonly<Usage>;
  /** Null when a price is not known. */
  readonly costUsd: number | null;
  /** True while a part of it is only estimated. */
  readonly isEstimated: boolean;
}

/** The running bill of one trial, and the limit it may not exceed. */
export interface TrialBudget {
  /**
   * Adds what was used since the last call, and takes back what was only estimated. `promptTokens` is the length of the
   * whole prompt that the usage belongs to, for models whose price depends on it.
   */
  add(usage: Usage, promptTokens?: number): Bill;
  /** Holds provisional numbers of tokens, counted in the text that was streamed and sent, until the next `add`. */
  estimate(outputTokens: number, inputTokens?: number): Bill;
  /** Takes over what a meter elsewhere has counted so far, in place of all that was added and estimated here. */
  report(total: MeteredTotal): Bill;
  readonly bill: Bill;
  /** All that was added. */
  readonly usage: Readonly<Required<Usage>>;
  /** The first cost that exceeded the limit; 0 while none has. */
  readonly costKilledAt: number;
  /** True while a part of the cost is an estimate. */
  readonly isEstimated: boolean;
  /** True when there is a price, so that a cost of 0 means that it was free. */
  readonly isPriced: boolean;
  /** What one trial may cost; 0 when there is no limit. */
  readonly maxCostUsd: number;
}

/** What a trial came to, as its bill says in the end. */
export type TrialBill = Pick<
  TrialBudget,
  "bill" | "usage" | "costKilledAt" | "isEstimated" | "isPriced" | "maxCostUsd"
>;

/** What a system is told about the trial it is answering. */
export interface TrialContext {
  signal: AbortSignal;
  budget: TrialBudget | null;
  trial: number;
  seed: number;
  log: (message: string) => void;
  /**
   * For systems that work in phases. Does the work whose time counts: what comes before and after it counts neither as
   * the trial's duration nor against its time limit.
   */
  timed?: <T>(work: () => Promise<T>) => Promise<T>;
  /** For systems that work in phases. Has something done when the trial is over, scoring included, however it ends. */
  atEnd?: (task: () => void | Promise<void>) => void;
  /**
   * Whether the trial would pass if it ended like this, for work that can be scored while it is going on; absent where it
   * cannot.
   */
  passes?: (soFar: Output) => Promise<boolean>;
}

/**
 * What is measured.
 * @example
 * const shout: System = { name: "shout", process: (example) => ({ response: example.question?.toUpperCase() ?? "" }) };
 */
export interface System {
  readonly name: string;
  process(example: Example, trial: TrialContext): Output | Promise<Output>;
  /** What identifies this system's work in the cache; see `fingerprintOf` for the default. */
  fingerprint?(): unknown;
  /** The model it calls, as its provider names it. */
  readonly model?: string;
  /** What the model works in: the name of an agent, or `api` where it is called directly. Figures are never pooled across them. */
  readonly harness?: string;
  /** True for one that only repeats what was done, and paid for, before. */
  readonly isRecorded?: boolean;
  /** What its work costs and may cost, when that is known: every trial is held to it. */
  readonly limits?: Limits;
  /**
   * Whom it calls, as host and account: systems with the same endpoint share its limit on calls at a time, which grows
   * and shrinks with what the endpoint takes. Without one, calls are bounded by the number of workers alone.
   */
  readonly endpoint?: string;
  /** Called for each example before anything is run. What it throws ends the run: skills that it cannot be offered. */
  checkExample?(example: Example): void;
  /** True when it sets things up before its work and clears them away after it: its trials have `timed` and `atEnd`. */
  readonly worksInPhases?: boolean;
  /** At most this many of its trials are under way at a time; systems of one endpoint share the smallest of theirs. */
  readonly maxParallel?: number;
  /** How long a trial that is told to stop may take to come to an end; 2 s unless told. */
  readonly graceMs?: number;
  /** Gives back what the system holds. Whoever creates a system closes it; `evaluate()` does not. */
  close?(): Promise<void>;
}
