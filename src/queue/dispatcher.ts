import type { JobsOptions, Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Plan, RowCollector } from "../runner/index.js";
import { TrialQueue } from "../runner/index.js";
import type { QueueState, TrialJob } from "./contract.js";
import { BULL_PREFIX, getJobId, getQueueName, KEYS } from "./keys.js";
import type { QueueSigner } from "./signer.js";

export interface DispatcherOptions {
  redis: Redis;
  key: string;
  plan: Plan;
  collector: RowCollector;
  signal: AbortSignal;
  signer: QueueSigner;
}

/** Jobs dispatched ahead per system: a minimum, plus some per worker slot. */
const MIN_AHEAD = 32;
const AHEAD_PER_SLOT = 3;
const MAX_BULK_JOBS = 500;
/** After this time without results of a system, the coordinator checks whether trials were lost. */
const MAX_QUIET_MS = 3000;

/** The queue of one system and its dispatched trials. */
interface SystemQueue {
  readonly queue: Queue<TrialJob>;
  readonly trials: TrialQueue;
  /** Dispatched trials without a result. */
  readonly out: Set<number>;
  /** Those of them that wait to be dispatched again. */
  readonly held: Set<number>;
  /** Trials being added to the queue; retried if Redis refuses. */
  batch: readonly number[];
  isExhausted: boolean;
  lastNews: number;
  /** The last batch in the stream when trials were found missing; null while none are. */
  missedAt: string | null;
}

/** Dispatches trials slightly ahead of demand, and tracks which have no result yet. */
export class Dispatcher {
  /** Concurrent trials per system, over all workers. */
  slots = 0;
  readonly #options: DispatcherOptions;
  #pools: SystemQueue[] = [];
  /** Trials that were lost with their worker and now run alone. */
  #suspects: Queue<TrialJob> | null = null;
  #isWithdrawn = false;
  #isResumed = false;
  #filling: Promise<void> | null = null;
  #withdrawing: Promise<void> | null = null;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #wake: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** `isResumed`: an earlier start of the run may have dispatched trials. */
  async open({ isResumed }: { isResumed: boolean }): Promise<void> {
    this.#isResumed = isResumed;
    if (this.#pools.length === 0) this.#pools = await this.#createQueues();
    await this.fill();
  }

  /** True when every trial has a result, or will not be dispatched. */
  get isDone(): boolean {
    return this.#pools.every(({ out, isExhausted }) => isExhausted && out.size === 0);
  }

  /** Number of dispatched trials without a result. */
  get dispatchedCount(): number {
    return this.#pools.reduce((total, { out }) => total + out.size, 0);
  }

  /** Call when a result of a trial has arrived. */
  settle(systemIndex: number, index: number): void {
    const pool = this.#pools[systemIndex];
    if (pool === undefined) return;
    pool.lastNews = Date.now();
    pool.missedAt = null;
    pool.out.delete(index);
  }

  /** Schedules a finished trial to be dispatched again later. */
  hold(systemIndex: number, index: number): void {
    const pool = this.#pools[systemIndex];
    if (pool === undefined || this.#isWithdrawn) return;
    pool.out.add(index);
    pool.held.add(index);
  }

  /** Dispatches the trials scheduled by `hold`. */
  async releaseHeld(): Promise<void> {
    for (const pool of this.#pools) {
      if (pool.held.size === 0) continue;
      const held = [...pool.held];
      await this.#clearDelivered(held);
      await this.#runInTurn(() => this.#add(pool, held, true));
      for (const index of held) pool.held.delete(index);
    }
  }

  /** Dispatches trials up to the current demand. */
  async fill(): Promise<void> {
    this.#filling ??= this.#runInTurn(() => this.#fillAll()).finally(() => {
      this.#filling = null;
      this.wake();
    });
    await this.#filling;
  }

  /** Withdraws trials that no worker has started, and dispatches no more. */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true;
    this.#withdrawing ??= this.#runInTurn(() => this.#withdrawAll()).catch((error: unknown) => {
      this.#withdrawing = null;
      throw error;
    });
    await this.#withdrawing;
    this.wake();
  }

  /** Stops dispatching a system. Returns its trials that no worker has started. */
  async stop(systemIndex: number): Promise<number[]> {
    const pool = this.#pools[systemIndex];
    const left: number[] = [];
    if (pool !== undefined) await this.#runInTurn(async () => void left.push(...(await this.#stopQueue(pool))));
    this.wake();
    return left;
  }

  /** Dispatches all open trials again, after Redis lost its data. */
  async dispatchAgain(): Promise<void> {
    await this.#runInTurn(async () => {
      for (const pool of this.#pools) await this.#add(pool, [...pool.out], true);
    });
  }

  /** Finds dispatched trials that are nowhere in Redis, and dispatches them again. Each system is checked separately. */
  async reconcile(): Promise<void> {
    for (const pool of this.#pools) if (await this.#hasMissingTrials(pool)) await this.#redispatch(pool);
  }

  /** Counts waiting and running trials. */
  async counts(): Promise<Pick<QueueState, "waiting" | "active">> {
    const all = await Promise.all(this.#listQueues().map((queue) => queue.getJobCounts(...COUNTED_STATES)));
    const sum = (states: readonly string[]) =>
      all.reduce((total, counts) => total + states.reduce((some, state) => some + (counts[state] ?? 0), 0), 0);
    return { waiting: sum(["wait", "delayed", "prioritized"]), active: sum(["active"]) };
  }

  async close(): Promise<void> {
    await this.#lastTurn;
    await Promise.allSettled(this.#listQueues().map((queue) => queue.close()));
  }

  #listQueues(): Queue<TrialJob>[] {
    return [...this.#pools.map(({ queue }) => queue), ...(this.#suspects === null ? [] : [this.#suspects])];
  }

  /** Resolves after a change, or after `ms`. */
  async waitForChange(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  wake(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }

  /** One at a time: a job added after its queue was drained would still run. */
  #runInTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(step);
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  async #createQueues(): Promise<SystemQueue[]> {
    const { Queue } = await import("bullmq");
    const { redis, key, plan, collector, signal } = this.#options;
    const open = (pool: number | "suspects") => {
      const settings = { connection: redis, prefix: BULL_PREFIX, streams: { events: { maxLen: 10 } } };
      return new Queue<TrialJob>(getQueueName(key, pool), settings).on("error", () => {});
    };
    this.#suspects = open("suspects");
    return plan.systems.map((_, systemIndex) => {
      const queue = open(systemIndex);
      const isDone = (index: number) => collector.has(index);
      const trials = new TrialQueue(plan, [systemIndex], { isDone, signal, tasks: collector.tasks });
      const sets = { out: new Set<number>(), held: new Set<number>() };
      return { queue, trials, ...sets, batch: [], isExhausted: false, lastNews: Date.now(), missedAt: null };
    });
  }

  async #fillAll(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => this.#fillQueue(pool)));
  }

  async #fillQueue(pool: SystemQueue): Promise<void> {
    const ahead = MIN_AHEAD + AHEAD_PER_SLOT * this.slots;
    while (!this.#isWithdrawn) {
      if (pool.batch.length === 0) pool.batch = takeBatch(pool, ahead);
      if (pool.batch.length === 0) return;
      await this.#add(pool, pool.batch, this.#isResumed);
      pool.batch = [];
    }
  }

  async #withdrawAll(): Promise<void> {
    await this.#suspects?.drain();
    for (const pool of this.#pools) {
      pool.isExhausted = true;
      await this.#withdrawQueue(pool);
    }
  }

  async #stopQueue(pool: SystemQueue): Promise<number[]> {
    const left: number[] = [];
    pool.isExhausted = true;
    left.push(...pool.trials.takeAll().map(({ index }) => index));
    return [...left, ...(await this.#withdrawQueue(pool))];
  }

  /** Withdraws trials that no worker has started, except waiting suspects. */
  async #withdrawQueue(pool: SystemQueue): Promise<number[]> {
    pool.held.clear();
    pool.batch = [];
    await pool.queue.drain();
    const [active, alone, waiting] = await Promise.all([
      pool.queue.getActive(),
      this.#suspects?.getActive(),
      this.#suspects?.getWaiting(),
    ]);
    const begun = new Set([...active, ...(alone ?? []), ...(waiting ?? [])].map(({ data }) => data?.index));
    const left = [...pool.out].filter((index) => !begun.has(index));
    for (const index of left) pool.out.delete(index);
    return left;
  }

  /** Job ids are derived from trials, so an existing job is not added twice. */
  async #add({ queue }: SystemQueue, indexes: readonly number[], again: boolean): Promise<void> {
    const apart = again ? await this.#findSuspects() : new Set();
    const wanted = indexes.filter((index) => !apart.has(index));
    for (let at = 0; at < wanted.length && !this.#isWithdrawn; at += MAX_BULK_JOBS)
      await queue.addBulk(wanted.slice(at, at + MAX_BULK_JOBS).map((index) => this.#createJob(index, again)));
  }

  /** Trials that run alone or wait for it; they have no job in their system's queue. */
  async #findSuspects(): Promise<Set<number>> {
    const jobs = (await this.#suspects?.getJobs(["wait", "active"])) ?? [];
    return new Set(jobs.map(({ data }) => data.index));
  }

  #createJob(index: number, mayBeDone: boolean): { name: string; data: TrialJob; opts: JobsOptions } {
    const { key, signer, collector } = this.#options;
    const again = mayBeDone || collector.isStored({ index });
    return {
      name: "trial",
      data: { index, ...(again ? { again } : {}), signature: signer.signJob(key, index, again) },
      opts: { jobId: getJobId(index), removeOnComplete: true, removeOnFail: true },
    };
  }

  /** Trials are missing if no worker has them and they were not in the batches that were in the stream at that time. */
  async #hasMissingTrials(pool: SystemQueue): Promise<boolean> {
    if (pool.out.size === 0 || Date.now() - pool.lastNews <= MAX_QUIET_MS) return false;
    const results = KEYS.results(this.#options.key);
    const { redis } = this.#options;
    if (pool.missedAt === null) {
      for (const queue of [pool.queue, this.#suspects]) {
        const counts = (await queue?.getJobCounts(...COUNTED_STATES)) ?? {};
        if (Object.values(counts).some((count) => count > 0)) return false;
      }
      pool.missedAt = (await redis.xrevrange(results, "+", "-", "COUNT", 1))[0]?.[0] ?? "0-0";
    }
    const [oldest] = await redis.xrange(results, "-", "+", "COUNT", 1);
    // A result may have arrived meanwhile.
    return pool.missedAt !== null && (oldest === undefined || isLaterEntry(oldest[0], pool.missedAt));
  }

  async #redispatch(pool: SystemQueue): Promise<void> {
    pool.lastNews = Date.now();
    pool.missedAt = null;
    if (this.#isWithdrawn) return pool.out.clear();
    await this.#clearDelivered(pool.out);
    await this.#runInTurn(() => this.#add(pool, [...pool.out], true));
  }

  /** Otherwise results that were delivered but unusable would not be run again. */
  async #clearDelivered(indexes: Iterable<number>): Promise<void> {
    const { redis, key } = this.#options;
    const changes = redis.pipeline();
    for (const index of indexes) changes.setbit(KEYS.delivered(key), index, 0);
    await changes.exec();
  }
}

/** Takes the next trials of a system, up to the demand and the batch size, and marks them as dispatched. */
function takeBatch(pool: SystemQueue, ahead: number): number[] {
  const batch: number[] = [];
  while (!pool.isExhausted && batch.length < MAX_BULK_JOBS && pool.out.size < ahead) {
    const next = pool.trials.take();
    // The next results make room.
    if (next === "wait") break;
    if (next === null) {
      pool.isExhausted = true;
      break;
    }
    batch.push(next.index);
    pool.out.add(next.index);
  }
  return batch;
}

function isLaterEntry(name: string, than: string): boolean {
  const [ms, number] = parseEntryId(name);
  const [thanMs, thanNumber] = parseEntryId(than);
  return ms === thanMs ? number > thanNumber : ms > thanMs;
}

/** Stream ids have the form MILLISECONDS-NUMBER. */
function parseEntryId(name: string): [ms: number, number: number] {
  const [ms = 0, number = 0] = name.split("-").map(Number);
  return [ms, number];
}

const COUNTED_STATES = ["wait", "delayed", "prioritized", "active"] as const;
