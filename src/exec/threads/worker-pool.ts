import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { AssayError, EXIT, getErrorMessage, UsageError } from "../../core/index.js";
import { findModule } from "../../utils/index.js";
import type { TaskReply, TaskRequest, ThreadTask } from "./protocol.js";

/** A thread task exceeded its time limit; its thread was terminated. */
export class TimeLimitError extends AssayError {
  constructor(task: string, limitMs: number) {
    super(
      "TIME_LIMIT",
      `Task "${task}" was stopped: it exceeded its limit of ${limitMs} ms. Shorten or simplify its input, or raise the limit.`,
      { exitCode: EXIT.infrastructure },
    );
  }
}

/** A thread task failed: it threw, could not be loaded, or its thread died. */
export class ThreadTaskError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("HEAVY_TASK", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

const MAX_THREADS = 4;
const DEFAULT_TIMEOUT_MS = 10_000;
/** Enough for the largest texts; a task that needs more loses its thread, not the process. */
const DEFAULT_MEMORY_MIB = 512;
/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface WorkerPoolOptions {
  /** The module each thread runs. Default: src/evaluators/worker.ts. */
  entry?: URL;
  /** Default: all cores but one, from 1 to 4. */
  threads?: number;
  /** Memory of one thread in MiB. */
  memoryMib?: number;
}

interface ThreadTaskOptions {
  /** Time limit, counted from the start of the task. Default: 10 s. */
  limitMs?: number;
  /** Cancels the task, whether it is waiting or running. */
  signal?: AbortSignal;
}

/**
 * A few threads that run tasks in order, one at a time each. They are started on demand, replaced when they die, and keep
 * the process alive only while there is work.
 * @example
 * const pool = new WorkerPool({ threads: 2 });
 * await pool.run("levenshtein", { golds: ["kitten"], response: "sitting" }, { limitMs: 1000 });
 */
export class WorkerPool {
  readonly #options: Required<WorkerPoolOptions>;
  readonly #waiting: ThreadJob[] = [];
  readonly #threads = new Set<PoolThread>();
  readonly #owner = { onFree: () => this.#assign(), onGone: (thread: PoolThread) => this.#removeThread(thread) };

  constructor(options: WorkerPoolOptions = {}) {
    this.#options = {
      entry: options.entry ?? findModule("evaluators/worker.js"),
      threads: options.threads ?? Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)),
      memoryMib: options.memoryMib ?? DEFAULT_MEMORY_MIB,
    };
  }

  /** Runs one task; see `runInThread`. */
  run(
    task: string,
    input: unknown,
    { limitMs = DEFAULT_TIMEOUT_MS, signal }: ThreadTaskOptions = {},
  ): Promise<unknown> {
    if (!(limitMs > 0)) throw new UsageError(`limitMs must be a number of milliseconds above 0, not ${limitMs}.`);
    if (signal?.aborted) return Promise.reject(getAbortReason(signal));
    return new Promise((resolve, reject) => {
      const job: ThreadJob = { task, input, limitMs: Math.min(limitMs, MAX_TIMER_MS), resolve, reject };
      if (signal !== undefined) this.#watchSignal(job, signal);
      this.#waiting.push(job);
      this.#assign();
    });
  }

  /** Terminates all threads; unfinished tasks fail. */
  async close(): Promise<void> {
    const closed = new UsageError("The worker pool was closed before the task was finished.");
    for (const job of this.#waiting.splice(0)) rejectJob(job, closed);
    await Promise.all([...this.#threads].map((thread) => thread.stop(closed)));
  }

  /** Rejects the job as soon as the signal is aborted. */
  #watchSignal(job: ThreadJob, signal: AbortSignal): void {
    const abort = () => this.#cancelJob(job, getAbortReason(signal));
    job.settled = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
  }

  #cancelJob(job: ThreadJob, error: Error): void {
    const place = this.#waiting.indexOf(job);
    if (place !== -1) this.#waiting.splice(place, 1);
    rejectJob(job, error);
    for (const thread of this.#threads) if (thread.isRunning(job)) void thread.stop(error);
  }

  #assign(): void {
    while (this.#waiting[0] !== undefined) {
      const thread = this.#findFreeThread(this.#waiting[0].task);
      if (thread === null) return;
      const job = this.#waiting.shift();
      if (job !== undefined) thread.start(job);
    }
  }

  /** Prefers a thread that has already loaded the task's module. */
  #findFreeThread(task: string): PoolThread | null {
    const free = [...this.#threads].filter((thread) => thread.isFree);
    const thread = free.find((each) => each.hasLoaded(task)) ?? free[0];
    if (thread !== undefined) return thread;
    return this.#threads.size < this.#options.threads ? this.#addThread() : null;
  }

  #addThread(): PoolThread {
    const { entry, memoryMib } = this.#options;
    const thread = new PoolThread(startThread(entry, memoryMib), this.#owner);
    this.#threads.add(thread);
    return thread;
  }

  #removeThread(thread: PoolThread): void {
    this.#threads.delete(thread);
    this.#assign();
  }
}

function getAbortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new UsageError(`The task was canceled: ${getErrorMessage(reason)}`);
}

/** Node 20 cannot load TypeScript in a thread, so jiti loads the sources. */
const TYPESCRIPT_BOOTSTRAP = `
const { jiti, entry } = require("node:worker_threads").workerData;
require(jiti).createJiti(entry, { interopDefault: false }).import(entry);
`;

/** Starts a thread from a module: the bundled `.js`, or the `.ts` of the same name when there is no bundle. */
function startThread(entry: URL, memoryMib: number): Worker {
  const file = fileURLToPath(entry);
  // Flags of the process, such as a module to import first, do not apply to its threads.
  const options: WorkerOptions = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMib } };
  const source = file.replace(/\.js$/, ".ts");
  if (existsSync(file) || !existsSync(source)) return new Worker(entry, options);
  const jiti = createRequire(import.meta.url).resolve("jiti");
  return new Worker(TYPESCRIPT_BOOTSTRAP, { ...options, eval: true, workerData: { jiti, entry: source } });
}

/** Time to start a thread and load a module. Not part of the task's limit. */
const LOAD_TIMEOUT_MS = 60_000;

/** One queued task and the callbacks of its promise. */
interface ThreadJob extends TaskRequest {
  limitMs: number;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  /** Called when it ended, either way. */
  settled?: () => void;
}

/** Rejects the job; does nothing when it has already ended. */
function rejectJob(job: ThreadJob, error: Error): void {
  job.settled?.();
  job.reject(error);
}

/** Notified when a thread is free again or has ended. */
interface ThreadOwner {
  onFree(thread: PoolThread): void;
  onGone(thread: PoolThread): void;
}

/** One thread and its current job. It keeps the process alive only while it has a job. */
class PoolThread {
  readonly #worker: Worker;
  readonly #owner: ThreadOwner;
  readonly #loaded = new Set<string>();
  #job: ThreadJob | null = null;
  #timer: NodeJS.Timeout | undefined;
  #fault: unknown;
  #isOver = false;

  constructor(worker: Worker, owner: ThreadOwner) {
    this.#worker = worker;
    this.#owner = owner;
    worker.unref();
    worker.on("message", (reply: TaskReply) => this.#handleReply(reply));
    worker.on("error", (fault) => {
      this.#fault = fault;
    });
    worker.on("exit", () => this.#end(new ThreadTaskError(this.#describeExit(), { cause: this.#fault })));
  }

  get isFree(): boolean {
    return this.#job === null;
  }

  hasLoaded(task: string): boolean {
    return this.#loaded.has(task);
  }

  isRunning(job: ThreadJob): boolean {
    return this.#job === job;
  }

  start(job: ThreadJob): void {
    this.#job = job;
    this.#worker.ref();
    this.#setTimeout(
      LOAD_TIMEOUT_MS,
      () => new ThreadTaskError(`Task "${job.task}" could not be started within a minute.`),
    );
    const question: TaskRequest = { task: job.task, input: job.input };
    try {
      this.#worker.postMessage(question);
    } catch (cause) {
      const reason = `The input of task "${job.task}" cannot be sent to a thread: ${getErrorMessage(cause)}`;
      this.#settle(() => rejectJob(job, new ThreadTaskError(reason, { cause })));
    }
  }

  /** Terminates the thread; its current job fails with the error. */
  async stop(error: Error): Promise<void> {
    this.#end(error);
    await this.#worker.terminate();
  }

  #handleReply(reply: TaskReply): void {
    const job = this.#job;
    if (job === null) return;
    if (reply.type === "started") this.#startTimer(job);
    else if (reply.type === "done") this.#settle(() => resolveJob(job, reply.value));
    else this.#settle(() => rejectJob(job, toThrownError(reply)));
  }

  #startTimer({ task, limitMs }: ThreadJob): void {
    this.#loaded.add(task);
    this.#setTimeout(limitMs, () => new TimeLimitError(task, limitMs));
  }

  #setTimeout(ms: number, error: () => Error): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => setImmediate(check), ms);
    this.#timer = timer;
    // If this thread was busy, a reply may have arrived in time but not been read: read it first.
    const check = () => {
      if (this.#timer === timer) void this.stop(error());
    };
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #settle(tell: () => void): void {
    this.#clearTimer();
    this.#job = null;
    this.#worker.unref();
    tell();
    this.#owner.onFree(this);
  }

  #end(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clearTimer();
    const job = this.#job;
    this.#job = null;
    if (job !== null) rejectJob(job, error);
    this.#owner.onGone(this);
  }

  #describeExit(): string {
    const what = this.#job === null ? "An idle thread" : `Task "${this.#job.task}"`;
    if ((this.#fault as { code?: unknown } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY")
      return `${what} ran out of memory and was stopped. Use a smaller input.`;
    return `${what} lost its thread: ${this.#fault === undefined ? "it ended by itself" : getErrorMessage(this.#fault)}`;
  }
}

function resolveJob(job: ThreadJob, value: unknown): void {
  job.settled?.();
  job.resolve(value);
}

function toThrownError({ name, message }: { name: string; message: string }): Error {
  const error = new ThreadTaskError(message);
  // The error's class does not survive the transfer between threads.
  error.name = name;
  return error;
}

export type { ThreadTask } from "./protocol.js";

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
