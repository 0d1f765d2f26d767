import { availableParallelism } from "node:os";
import { messageOf, UsageError } from "../../core/errors.js";
import { findModule } from "../../utils/package-file.js";
import { fail, type Job, Lane } from "./lane.js";
import { startThread } from "./thread.js";

const MOST_THREADS = 4;
const USUAL_LIMIT_MS = 10_000;
/** Enough for the largest texts; an item that needs more loses its thread, not the process. */
const USUAL_MEMORY_MIB = 512;
/** The longest that a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;

export interface WorkerPoolOptions {
  /** The module that each thread runs: the one in src/evaluators/heavy unless a test brings its own. */
  entry?: URL;
  /** All cores but one, from 1 to 4, unless given. */
  threads?: number;
  /** The memory of one thread, in MiB. */
  memoryMib?: number;
}

export interface HeavyOptions {
  /** How long the item may take once it has started; ten seconds unless given. */
  limitMs?: number;
  /** Takes the item back, whether it waits or is being worked on. */
  signal?: AbortSignal;
}

/**
 * A few threads that work on items in the order they came, each on one at a time. They are started when there is work,
 * replaced when they die, and keep the process alive only while there is work.
 * @example
 * const pool = new WorkerPool({ threads: 2 });
 * await pool.run("levenshtein", { golds: ["kitten"], response: "sitting" }, { limitMs: 1000 });
 */
export class WorkerPool {
  readonly #options: Required<WorkerPoolOptions>;
  readonly #waiting: Job[] = [];
  readonly #lanes = new Set<Lane>();
  readonly #owner = { free: () => this.#assign(), gone: (lane: Lane) => this.#drop(lane) };

  constructor(options: WorkerPoolOptions = {}) {
    this.#options = {
      entry: options.entry ?? findModule("evaluators/worker.js"),
      threads: options.threads ?? Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1)),
      memoryMib: options.memoryMib ?? USUAL_MEMORY_MIB,
    };
  }

  /** Does one item of work in a thread; see `heavy`. */
  run(task: string, input: unknown, { limitMs = USUAL_LIMIT_MS, signal }: HeavyOptions = {}): Promise<unknown> {
    if (!(limitMs > 0)) throw new UsageError(`limitMs must be a number of milliseconds above 0, not ${limitMs}.`);
    if (signal?.aborted) return Promise.reject(reasonOf(signal));
    return new Promise((resolve, reject) => {
      const job: Job = { task, input, limitMs: Math.min(limitMs, LONGEST_MS), resolve, reject };
      if (signal !== undefined) this.#watch(job, signal);
      this.#waiting.push(job);
      this.#assign();
    });
  }

  /** Ends all threads; items that are not done fail. */
  async close(): Promise<void> {
    const closed = new UsageError("The pool of worker threads was closed before the work was done.");
    for (const job of this.#waiting.splice(0)) fail(job, closed);
    await Promise.all([...this.#lanes].map((lane) => lane.stop(closed)));
  }

  /** Has the job fail as soon as the signal is aborted. */
  #watch(job: Job, signal: AbortSignal): void {
    const abort = () => this.#takeBack(job, reasonOf(signal));
    job.settled = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
  }

  #takeBack(job: Job, error: Error): void {
    const place = this.#waiting.indexOf(job);
    if (place !== -1) this.#waiting.splice(place, 1);
    fail(job, error);
    for (const lane of this.#lanes) if (lane.worksOn(job)) void lane.stop(error);
  }

  #assign(): void {
    while (this.#waiting[0] !== undefined) {
      const lane = this.#freeLane(this.#waiting[0].task);
      if (lane === null) return;
      const job = this.#waiting.shift();
      if (job !== undefined) lane.take(job);
    }
  }

  /** Prefers a thread that has loaded the task's module already. */
  #freeLane(task: string): Lane | null {
    const free = [...this.#lanes].filter((lane) => lane.isFree);
    const lane = free.find((each) => each.hasLoaded(task)) ?? free[0];
    if (lane !== undefined) return lane;
    return this.#lanes.size < this.#options.threads ? this.#addLane() : null;
  }

  #addLane(): Lane {
    const { entry, memoryMib } = this.#options;
    const lane = new Lane(startThread(entry, memoryMib), this.#owner);
    this.#lanes.add(lane);
    return lane;
  }

  #drop(lane: Lane): void {
    this.#lanes.delete(lane);
    this.#assign();
  }
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new UsageError(`The work was taken back: ${messageOf(reason)}`);
}
