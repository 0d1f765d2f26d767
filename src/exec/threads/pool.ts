import type { ThreadTask } from "./protocol.js";
import { type ThreadTaskOptions, WorkerPool } from "./worker-pool.js";

export { ThreadTaskError, TimeLimitError } from "./errors.js";
export type { ThreadTask } from "./protocol.js";
export type { ThreadTaskOptions } from "./worker-pool.js";

/** Shared by the process, because starting threads and loading modules is expensive, and so are the cores. */
let sharedPool: WorkerPool | null = null;

/**
 * Runs a task in a worker thread, so that a long text or a hang does not block the run. Input and result are copied. Rejects
 * with `TimeLimitError` when the task exceeds its limit.
 * @example
 * await runInThread<boolean>("symbolic_equality", { gold: "x+x", given: "2x" }, { limitMs: 2000 });
 */
export function runInThread<T>(task: ThreadTask, input: unknown, options: ThreadTaskOptions = {}): Promise<T> {
  sharedPool ??= new WorkerPool();
  return sharedPool.run(task, input, options) as Promise<T>;
}
