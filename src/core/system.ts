import type { Example, Turn } from "./example.js";

/** Token counts as billed. The classes are disjoint, except that `reasoning` is a part of `output`. */
export interface Usage {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
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
  /** Copied to the row as it is. */
  metadata?: Record<string, unknown>;
  [key: string]: unknown;
}

/** The events of one trial, in order. */
export interface Trajectory {
  events: readonly TrajectoryEvent[];
}

export interface TrajectoryEvent {
  type: string;
  timestamp: number;
  [key: string]: unknown;
}

/** The running bill of one trial. */
export interface CostBudget {
  add(usage: Usage): { costUsd: number; exceeded: boolean };
}

/** What a system is told about the trial it is answering. */
export interface TrialContext {
  signal: AbortSignal;
  budget: CostBudget | null;
  trial: number;
  seed: number;
  log: (message: string) => void;
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
  /** Gives back what the system holds. Whoever creates a system closes it; `evaluate()` does not. */
  close?(): Promise<void>;
}
