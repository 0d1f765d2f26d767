import type { RetryPolicy } from "../core/retry.js";
import type { PlanIdentity } from "../store/manifest.js";

/** What a run tells the workers that may join it. */
export interface Announcement {
  schema: "assay.queue/1";
  /** The name of the run in Redis. */
  key: string;
  runId: string;
  title: string;
  assayVersion: string;
  /** A worker's own plan must equal this. */
  identity: PlanIdentity;
  /** How a worker creates the plan; null if only a program with the same plan can join. */
  source: PlanSource | null;
  /** Budgets of the run and of each trial. */
  budget: { run?: { maxCostUsd: number }; trial?: { maxCostUsd: number } };
  retry: RetryPolicy;
  /** Milliseconds after which an endpoint that is down is given up; null to wait until it is back. */
  giveUpAfterMs: number | null;
  /** Maximum concurrent calls to one endpoint by all workers together; null to limit them only by the workers' slots. */
  maxWorkers: number | null;
  /** Folder for large outputs, for workers that see the same file system; null if outputs are sent through Redis. */
  sharedDir: string | null;
}

/** How to create a plan again: a command with its flags, or a module that exports the options of `evaluate`. */
export type PlanSource = { kind: "command"; invocation: unknown } | { kind: "module"; path: string; cwd: string };

export const QUEUE_SCHEMA = "assay.queue/1";

/** A job: the index of a trial in the plan. */
export interface TrialJob {
  index: number;
  /** True if the trial may have been dispatched before: it is skipped if it was delivered, and only graded if its output was. */
  again?: boolean;
  /** Signature of the run over its key and the fields above. */
  signature: string;
}

/** The state of a worker, which it updates every second. */
export interface WorkerState {
  id: string;
  host: string;
  pid: number;
  /** The key of the run it works on; null while it waits for one. */
  run: string | null;
  /** Maximum concurrent trials per system. */
  concurrency: number;
  /** True for a worker that only takes trials lost with their worker, one at a time. */
  isAlone?: boolean;
  startedAt: string;
  /** Running trials. */
  active: number;
  /** Trials delivered so far. */
  done: number;
  /** Trials delivered per second, recently. */
  perSecond: number;
  /** Why trials are waiting; null if none is. */
  waiting: string | null;
  /** Why it does not join the run; null if it does. */
  refuses: string | null;
}

/** The current state of a run over a queue; stored in its folder for the dashboard. */
export interface QueueState {
  schema: "assay.queue-state/1";
  /** When this state was read. */
  at: string;
  /** The URL of the queue, without user and password. */
  url: string;
  /** False once the coordinator has stopped. */
  isRunning: boolean;
  /** Trials waiting for a worker. */
  waiting: number;
  /** Running trials. */
  active: number;
  workers: readonly WorkerState[];
  budget: QueueBudget | null;
  /** Problems that were recovered from. */
  notes: readonly string[];
}

/** What a run has spent, according to Redis. */
export interface QueueBudget {
  maxCostUsd: number;
  spentUsd: number;
  reservedUsd: number;
  /** True once a trial was refused: no further trial is started. */
  isRefusing: boolean;
  /** Trials with unknown cost; each counts with its full reservation. */
  unknownCosts: number;
  /** Trials lost with their worker; each counts with its full reservation. */
  lostTrials: number;
  lostUsd: number;
}

export const QUEUE_STATE_SCHEMA = "assay.queue-state/1";
/** The name of the state file in the run folder. */
export const QUEUE_STATE_FILE = "queue.json";
