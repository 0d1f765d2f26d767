import type { Redis } from "ioredis";
import { withoutSecrets } from "./connection.js";
import { type Announcement, QUEUE_STATE_SCHEMA, type QueueState, type WorkerState } from "./contract.js";
import { howGone, listWorkers } from "./directory.js";
import type { Dismissals } from "./dismissals.js";
import type { Feeder } from "./feeder.js";
import type { RunMoney } from "./run-money.js";

export interface StateKeeperOptions {
  redis: Redis;
  url: string;
  announcement: Announcement;
  feeder: Pick<Feeder, "counts">;
  money: Pick<RunMoney, "read">;
  /** By worker: its delivered trials. */
  done: ReadonlyMap<string, number>;
  /** Knows which reasons were already reported. */
  dismissals: Pick<Dismissals, "isReason">;
  onNote: (note: string) => void;
}

/** Tracks the state of a run over a queue: workers, waiting trials, spending and lost workers. */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  readonly #refusals = new Map<string, string>();
  #known = new Map<string, WorkerState>();
  /** All workers that ever joined. */
  readonly #ever = new Map<string, WorkerState>();
  readonly #lost: string[] = [];
  #last: QueueState | null = null;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
  }

  async look(): Promise<QueueState> {
    const { redis, announcement, feeder, money } = this.#options;
    const all = await listWorkers(redis);
    const workers = all.filter(({ run }) => run === announcement.key);
    for (const worker of workers) if (worker.refuses !== null) this.#refuse(worker, worker.refuses);
    const taking = workers.filter(({ refuses }) => refuses === null);
    await this.#miss(taking);
    for (const worker of taking) this.#ever.set(worker.id, worker);
    const counts = await feeder.counts();
    this.#last = { ...this.#blank(), ...counts, workers, budget: await money.read() };
    return this.#last;
  }

  /** The final state: trials per worker, and the last known figures, because Redis may be gone. */
  conclude(): QueueState {
    const state = this.#last ?? this.#blank();
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
      const how = `start one with: assay worker --queue ${withoutSecrets(this.#options.url)}`;
      return refusals.size === 0 ? `no worker has joined; ${how}` : [...refusals].join("; ");
    }
    const reasons = new Set(taking.flatMap(({ waiting }) => waiting ?? []));
    return reasons.size === 0 ? null : [...reasons].join("; ");
  }

  #blank(): QueueState {
    return {
      schema: QUEUE_STATE_SCHEMA,
      at: new Date().toISOString(),
      url: withoutSecrets(this.#options.url),
      isRunning: true,
      waiting: 0,
      active: 0,
      workers: [],
      budget: null,
      notes: [...this.#refusalNotes(), ...this.#lost],
    };
  }

  #refusalNotes(): string[] {
    const { dismissals } = this.#options;
    return Array.from(this.#refusals).flatMap(([why, words]) => (dismissals.isReason(why) ? [] : [words]));
  }

  /** Reported once. */
  #refuse({ host, pid }: WorkerState, why: string): void {
    const words = `the worker ${host}:${pid} does not join: ${why}`;
    if (this.#refusals.has(why)) return;
    this.#refusals.set(why, words);
    if (!this.#options.dismissals.isReason(why)) this.#options.onNote(words);
  }

  async #miss(now: readonly WorkerState[]): Promise<void> {
    const there = new Map(now.map((worker) => [worker.id, worker]));
    for (const [id, worker] of this.#known) {
      if (there.has(id) || worker.active === 0) continue;
      const how = await howGone(this.#options.redis, id);
      if (how === "lost") this.#lose(worker);
      // Its lease lasts slightly longer than its state.
      if (how === null) there.set(id, worker);
    }
    this.#known = there;
  }

  #lose({ host, pid, active }: WorkerState): void {
    const words = `the worker ${host}:${pid} was lost with ${active} running ${active === 1 ? "trial" : "trials"}, which others take over`;
    this.#lost.push(words);
    this.#options.onNote(words);
  }
}
