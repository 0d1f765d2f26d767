import type { WorkerState } from "../queue/contract.js";
import type { EvaluateOptions } from "./options.js";

/** How a worker takes part. */
export interface WorkOptions {
  /** The address of the Redis that runs are announced in. */
  queue: string;
  /** What it shares with the run; ASSAY_QUEUE_SECRET unless given. Only a Redis on this machine does without. */
  secret?: string;
  /** The key of one run; left out, all runs with the same plan. */
  run?: string;
  /** Trials of each system at a time; 8 unless given. */
  concurrency?: number;
  /** How long this worker may be silent before others take over its trials; 15 unless given. */
  leaseSeconds?: number;
  /** This machine's path to the folder for large outputs, where it is another than the coordinator's. */
  sharedDir?: string;
  /** When it is aborted, the worker finishes what it has and ends. */
  drain?: AbortSignal;
  onNote?: (note: string) => void;
  /** Told about once a second how the worker does. */
  onState?: (state: WorkerState) => void;
}

/**
 * Runs trials for a run that another process has started with `evaluate({ queue })` and the same options: its plan has to
 * be the same, or the worker refuses and says what differs.
 * @example
 * await work({ systems: [mySystem], dataset, evaluators: [new AnswerQuality()] }, { queue: "redis://127.0.0.1:6379" });
 */
export async function work(options: EvaluateOptions, how: WorkOptions): Promise<void> {
  const { takePart } = await import("./take-part.js");
  await takePart(options, how);
}
