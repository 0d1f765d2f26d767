import type { RetryPolicy } from "../core/retry.js";
import type { PlanIdentity } from "../store/manifest.js";

/** What a run tells those who may take part in it. */
export interface Announcement {
  schema: "assay.queue/1";
  /** What the run is called in Redis. */
  key: string;
  runId: string;
  title: string;
  assayVersion: string;
  /** What a worker's own plan has to be equal to. */
  identity: PlanIdentity;
  /** What a worker makes the plan from; null when only a program that has the same plan can take part. */
  source: PlanSource | null;
  /** What the run and its trials may cost. */
  budget: { run?: { maxCostUsd: number }; trial?: { maxCostUsd: number } };
  retry: RetryPolicy;
  /** After how many milliseconds an endpoint that is down is given up; null to wait until it is back. */
  giveUpAfterMs: number | null;
  /** Calls to one endpoint at a time, of all workers together; null for as many as the workers have slots. */
  maxWorkers: number | null;
  /** Where workers leave large outputs, for those that see the same folder; null when they send them. */
  sharedDir: string | null;
}

/** Where a plan can be made again: a command with its flags, or a module that exports the options of `evaluate`. */
export type PlanSource = { kind: "command"; invocation: unknown } | { kind: "module"; path: string; cwd: string };

export const QUEUE_SCHEMA = "assay.queue/1";

/** A job: the place of a trial in the plan. */
export interface TrialJob {
  index: number;
  /**
   * True when it may have been handed out before: it is not run again when it was delivered, and is only graded when its
   * output was.
   */
  again?: boolean;
  /** By the run, over its key and what is above. */
  signature: string;
}

/** A worker, as it describes itself every second. */
export interface WorkerState {
  id: string;
  host: string;
  pid: number;
  /** The key of the run that it takes part in; null while it waits for one. */
  run: string | null;
  /** Trials of each system at a time. */
  concurrency: number;
  /** True for one that takes only trials that were lost with their worker, and runs them alone. */
  isAlone?: boolean;
  startedAt: string;
  /** Trials under way. */
  active: number;
  /** Trials delivered so far. */
  done: number;
  /** Trials delivered a second, over the last while. */
  perSecond: number;
  /** Why trials are waiting, in words; null when none is. */
  waiting: string | null;
  /** Why it does not take part in the run, in words; null when it does. */
  refuses: string | null;
}

/** What a run over a queue looks like just now; kept in its folder for the dashboard. */
export interface QueueState {
  schema: "assay.queue-state/1";
  /** When this was true. */
  at: string;
  /** The queue, without user and password. */
  url: string;
  /** False once the coordinator has stopped. */
  isRunning: boolean;
  /** Trials that wait for a worker. */
  waiting: number;
  /** Trials under way. */
  active: number;
  workers: readonly WorkerState[];
  budget: QueueBudget | null;
  /** What went wrong on the way and was made good. */
  notes: readonly string[];
}

/** What a run has spent, as Redis knows it. */
export interface QueueBudget {
  maxCostUsd: number;
  spentUsd: number;
  reservedUsd: number;
  /** True once a trial was refused: no other is started. */
  isRefusing: boolean;
  /** Trials whose cost nobody knows; each counts as all that was set aside for it. */
  unknownCosts: number;
  /** Trials that were lost with their worker; each counts as all that was set aside for it. */
  lostTrials: number;
  lostUsd: number;
}

export const QUEUE_STATE_SCHEMA = "assay.queue-state/1";
/** In the run folder. */
export const QUEUE_STATE_FILE = "queue.json";
