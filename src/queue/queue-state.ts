import type { Redis } from "ioredis";
import { stripSecrets } from "./connection.js";
import { type Announcement, QUEUE_STATE_SCHEMA, type QueueState, type WorkerState } from "./contract.js";
import { checkWorkerGone, listWorkers } from "./directory.js";
import type { Dispatcher } from "./dispatcher.js";
import type { CoordinatorBudget } from "./redis-budget.js";
import type { WorkerDismissals } from "./worker-dismissals.js";

export interface QueueStateTrackerOptions {
  redis: Redis;
  url: string;
  announcement: Announcement;
  dispatcher: Pick<Dispatcher, "counts">;
  money: Pick<CoordinatorBudget, "read">;
  /** By worker: its delivered trials. */
  done: ReadonlyMap<string, number>;
  /** Knows which reasons were already reported. */
  dismissals: Pick<WorkerDismissals, "isReason">;
  onNote: (note: string) => void;
}

/** Tracks the state of a run over a queue: workers, waiting trials, spending and lost workers. */
export class QueueStateTracker {
  readonly #options: QueueStateTrackerOptions;
  readonly #refusals = new Map<string, string>();
  #known = new Map<string, WorkerState>();
  /** All workers that ever joined. */
  readonly #ever = new Map<string, WorkerState>();
  readonly #lost: string[] = [];
  #last: QueueState | null = null;

  constructor(options: QueueStateTrackerOptions) {
    this.#options = options;
  }

  async update(): Promise<QueueState> {
    const { redis, announcement, dispatcher, money } = this.#options;
    const all = await listWorkers(redis);
    const workers = all.filter(({ run }) => run === announcement.key);
    for (const worker of workers) if (worker.refuses !== null) this.#recordRefusal(worker, worker.refuses);
    const taking = workers.filter(({ refuses }) => refuses === null);
    await this.#findLostWorkers(taking);
    for (const worker of taking) this.#ever.set(worker.id, worker);
    const counts = await dispatcher.counts();
    this.#last = { ...this.#buildState(), ...counts, workers, budget: await money.read() };
    return this.#last;
  }

  /** The final state: trials per worker, and the last known figures, because Redis may be gone. */
  buildFinalState(): QueueState {
    const state = this.#last ?? this.#buildState();
    const idle = { active: 0, perSecond: 0, waiting: null };
    const workers = Array.from(this.#ever.values(), (worker) => ({
      ...worker,
      ...idle,
      done: this.#options.done.get(worker.id) ?? worker.done,
    }));
    return { ...state, at: new Date().toISOString(), workers, active: 0, waiting: 0, isRunning: false };
  }

  /** Describes why the run is not faster; null if workers are busy. */
  waiting({ workers }: QueueState): string | null {
    const taking = workers.filter(({ refuses }) => refuses === null);
    if (taking.length === 0) {
      const refusals = new Set(workers.flatMap(({ refuses }) => this.#refusals.get(refuses ?? "") ?? []));
      const how = `start one with: assay worker --queue ${stripSecrets(this.#options.url)}`;
      return refusals.size === 0 ? `no worker has joined; ${how}` : [...refusals].join("; ");
    }
    const reasons = new Set(taking.flatMap(({ waiting }) => waiting ?? []));
    return reasons.size === 0 ? null : [...reasons].join("; ");
  }

  #buildState(): QueueState {
    return {
      schema: QUEUE_STATE_SCHEMA,
      at: new Date().toISOString(),
      url: stripSecrets(this.#options.url),
      isRunning: true,
      waiting: 0,
      active: 0,
      workers: [],
      budget: null,
      notes: [...this.#listRefusalNotes(), ...this.#lost],
    };
  }

  #listRefusalNotes(): string[] {
    const { dismissals } = this.#options;
    return Array.from(this.#refusals).flatMap(([why, words]) => (dismissals.isReason(why) ? [] : [words]));
  }

  /** Reported once. */
  #recordRefusal({ host, pid }: WorkerState, why: string): void {
    const words = `the worker ${host}:${pid} does not join: ${why}`;
    if (this.#refusals.has(why)) return;
    this.#refusals.set(why, words);
    if (!this.#options.dismissals.isReason(why)) this.#options.onNote(words);
  }

  async #findLostWorkers(now: readonly WorkerState[]): Promise<void> {
    const there = new Map(now.map((worker) => [worker.id, worker]));
    for (const [id, worker] of this.#known) {
      if (there.has(id) || worker.active === 0) continue;
      const how = await checkWorkerGone(this.#options.redis, id);
      if (how === "lost") this.#recordLostWorker(worker);
      // Its lease lasts slightly longer than its state.
      if (how === null) there.set(id, worker);
    }
    this.#known = there;
  }

  #recordLostWorker({ host, pid, active }: WorkerState): void {
    const words = `the worker ${host}:${pid} was lost with ${active} running ${active === 1 ? "trial" : "trials"}, which others take over`;
    this.#lost.push(words);
    this.#options.onNote(words);
  }
}
