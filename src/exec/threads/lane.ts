import type { Worker } from "node:worker_threads";
import { messageOf } from "../../core/errors.js";
import { HeavyTaskError, TimeLimitError } from "./errors.js";
import type { Question, Reply } from "./protocol.js";

/** Time to start a thread and load a task's module: not counted against the item, but not endless either. */
const LOAD_LIMIT_MS = 60_000;

/** One item of work, and whom to tell how it ended. */
export interface Job extends Question {
  limitMs: number;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  /** Called when it ended, either way. */
  settled?: () => void;
}

/** Tells whoever waits for the job that it failed; nothing when it is over already. */
export function fail(job: Job, error: Error): void {
  job.settled?.();
  job.reject(error);
}

/** Whom a lane tells that it can take another job, or that it never will. */
export interface LaneOwner {
  free(lane: Lane): void;
  gone(lane: Lane): void;
}

/** One thread and the one job it works on. It keeps the process alive only while it has a job. */
export class Lane {
  readonly #worker: Worker;
  readonly #owner: LaneOwner;
  readonly #loaded = new Set<string>();
  #job: Job | null = null;
  #timer: NodeJS.Timeout | undefined;
  #fault: unknown;
  #isOver = false;

  constructor(worker: Worker, owner: LaneOwner) {
    this.#worker = worker;
    this.#owner = owner;
    worker.unref();
    worker.on("message", (reply: Reply) => this.#hear(reply));
    worker.on("error", (fault) => {
      this.#fault = fault;
    });
    worker.on("exit", () => this.#end(new HeavyTaskError(this.#causeOfDeath(), { cause: this.#fault })));
  }

  get isFree(): boolean {
    return this.#job === null;
  }

  hasLoaded(task: string): boolean {
    return this.#loaded.has(task);
  }

  worksOn(job: Job): boolean {
    return this.#job === job;
  }

  take(job: Job): void {
    this.#job = job;
    this.#worker.ref();
    this.#limit(LOAD_LIMIT_MS, () => new HeavyTaskError(`The work "${job.task}" could not be started in a minute.`));
    const question: Question = { task: job.task, input: job.input };
    try {
      this.#worker.postMessage(question);
    } catch (cause) {
      const reason = `The input of the work "${job.task}" cannot be handed to a thread: ${messageOf(cause)}`;
      this.#settle(() => fail(job, new HeavyTaskError(reason, { cause })));
    }
  }

  /** Ends the thread; the job it works on fails with the error. */
  async stop(error: Error): Promise<void> {
    this.#end(error);
    await this.#worker.terminate();
  }

  #hear(reply: Reply): void {
    const job = this.#job;
    if (job === null) return;
    if (reply.type === "started") this.#start(job);
    else if (reply.type === "done") this.#settle(() => succeed(job, reply.value));
    else this.#settle(() => fail(job, thrown(reply)));
  }

  #start({ task, limitMs }: Job): void {
    this.#loaded.add(task);
    this.#limit(limitMs, () => new TimeLimitError(task, limitMs));
  }

  #limit(ms: number, error: () => Error): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => setImmediate(check), ms);
    this.#timer = timer;
    // When this thread was busy, the answer may have arrived in time without having been read: it is read before this.
    const check = () => {
      if (this.#timer === timer) void this.stop(error());
    };
  }

  #stopClock(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #settle(tell: () => void): void {
    this.#stopClock();
    this.#job = null;
    this.#worker.unref();
    tell();
    this.#owner.free(this);
  }

  #end(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopClock();
    const job = this.#job;
    this.#job = null;
    if (job !== null) fail(job, error);
    this.#owner.gone(this);
  }

  #causeOfDeath(): string {
    const what = this.#job === null ? "An idle thread" : `The work "${this.#job.task}"`;
    if ((this.#fault as { code?: unknown } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY")
      return `${what} ran out of memory and was stopped. Make its input smaller.`;
    return `${what} lost its thread: ${this.#fault === undefined ? "it ended by itself" : messageOf(this.#fault)}`;
  }
}

function succeed(job: Job, value: unknown): void {
  job.settled?.();
  job.resolve(value);
}

function thrown({ name, message }: { name: string; message: string }): Error {
  const error = new HeavyTaskError(message);
  // The class itself stays behind in the thread.
  error.name = name;
  return error;
}
