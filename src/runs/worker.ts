import type { WorkerState } from "../queue/contract.js";
import type { EvaluateOptions } from "./options.js";

/** Options of `runWorker`. */
export interface WorkerOptions {
  /** Address of the Redis server where runs are announced. */
  queue: string;
  /** Secret shared with the run. Default: ASSAY_QUEUE_SECRET. Optional only if Redis runs on this machine. */
  secret?: string;
  /** Key of one run. Default: all runs with the same plan. */
  run?: string;
  /** Trials of each system run at once. Default: 8. */
  concurrency?: number;
  /** How long this worker may be silent before others take over its trials. Default: 15. */
  leaseSeconds?: number;
  /** This machine's path to the folder for large outputs, if it differs from the coordinator's. */
  sharedDir?: string;
  /** When aborted, the worker finishes its trials and ends. */
  drain?: AbortSignal;
  onNote?: (note: string) => void;
  /** Called about once a second with the worker's state. */
  onState?: (state: WorkerState) => void;
}

/**
 * Runs trials for a run that another process has started with `evaluate({ queue })` and the same options. If the plans
 * differ, the worker refuses and reports the differences.
 * @example
 * await runWorker({ systems: [mySystem], dataset, evaluators: [new AnswerQuality()] }, { queue: "redis://127.0.0.1:6379" });
 */
export async function runWorker(options: EvaluateOptions, how: WorkerOptions): Promise<void> {
  const { serveQueue } = await import("./serve-queue.js");
  await serveQueue(options, how);
}
