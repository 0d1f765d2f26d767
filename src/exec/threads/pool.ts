import type { HeavyTask } from "./protocol.js";
import { type HeavyOptions, WorkerPool } from "./worker-pool.js";

export { HeavyTaskError, TimeLimitError } from "./errors.js";
export type { HeavyTask } from "./protocol.js";
export type { HeavyOptions } from "./worker-pool.js";

/** Kept for the whole process: threads and the modules they have loaded are dear, and the cores are shared by all. */
let shared: WorkerPool | null = null;

/**
 * Does heavy work in a worker thread, so that neither a long text nor a hang holds up the run. Input and result are
 * copied from thread to thread. Rejects with `TimeLimitError` when the item takes longer than its limit.
 * @example
 * await heavy<boolean>("symbolic_equality", { gold: "x+x", given: "2x" }, { limitMs: 2000 });
 */
export function heavy<T>(task: HeavyTask, input: unknown, options: HeavyOptions = {}): Promise<T> {
  shared ??= new WorkerPool();
  return shared.run(task, input, options) as Promise<T>;
}
