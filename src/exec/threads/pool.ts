import type { HeavyTask } from "./protocol.js";
import { type HeavyOptions, WorkerPool } from "./worker-pool.js";

export { HeavyTaskError, TimeLimitError } from "./errors.js";
export type { HeavyTask } from "./protocol.js";
export type { HeavyOptions } from "./worker-pool.js";

/** Shared by the process, because starting threads and loading modules is expensive, and so are the cores. */
let shared: WorkerPool | null = null;

/**
 * Runs a task in a worker thread, so that a long text or a hang does not block the run. Input and result are copied. Rejects
 * with `TimeLimitError` when the task exceeds its limit.
 * @example
 * await runInThread<boolean>("symbolic_equality", { gold: "x+x", given: "2x" }, { limitMs: 2000 });
 */
export function heavy<T>(task: HeavyTask, input: unknown, options: HeavyOptions = {}): Promise<T> {
  shared ??= new WorkerPool();
  return shared.run(task, input, options) as Promise<T>;
}
