import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { admissions, type Trial } from "../runner/admit.js";
import type { Ledger } from "../runner/ledger.js";
import type { Plan } from "../runner/plan.js";
import type { QueueState, TrialJob } from "./contract.js";
import { BULL_PREFIX, KEYS, laneName } from "./keys.js";

export interface FeederOptions {
  redis: Redis;
  key: string;
  plan: Plan;
  ledger: Ledger;
  signal: AbortSignal;
}

/** Jobs of a lane that are handed out at least, and for each slot of a worker. */
const LEAST_AHEAD = 32;
const AHEAD_OF_SLOT = 3;
/** The most jobs that are put into the queue at a time. */
const BULK = 500;
/** When nothing has come back for this long, the coordinator looks whether trials were lost. */
const QUIET_MS = 3000;

/** The trials of one system on their way. */
interface Lane {
  readonly queue: Queue<TrialJob>;
  readonly trials: Generator<Trial, void>;
  /** Handed out, and not heard of since. */
  readonly out: Set<number>;
  isExhausted: boolean;
}

/** Hands out trials, a little ahead of those who take them, and knows which are out. */
export class Feeder {
  /** Trials of each system that all workers together can run at a time. */
  slots = 0;
  readonly #options: FeederOptions;
  #lanes: Lane[] = [];
  #isWithdrawn = false;
  #isResumed = false;
  #filling: Promise<void> | null = null;
  #lastNews = Date.now();
  #wake: (() => void)[] = [];

  constructor(options: FeederOptions) {
    this.#options = options;
  }

  /** `isResumed` when an earlier start of the run may have handed out trials. */
  async open({ isResumed }: { isResumed: boolean }): Promise<void> {
    this.#isResumed = isResumed;
    const { Queue } = await import("bullmq");
    const { redis, key, plan, ledger, signal } = this.#options;
    this.#lanes = plan.systems.map((_, systemIndex) => {
      const queue = new Queue<TrialJob>(laneName(key, systemIndex), {
        connection: redis,
        prefix: BULL_PREFIX,
        streams: { events: { maxLen: 10 } },
      });
      queue.on("error", () => {});
      const isDone = (index: number) => ledger.has(index);
      return { queue, trials: admissions(plan, [systemIndex], { isDone, signal }), out: new Set(), isExhausted: false };
    });
    await this.fill();
  }

  /** True when every trial has been handed out and heard of, or will not be. */
  get isDone(): boolean {
    return this.#lanes.every(({ out, isExhausted }) => isExhausted && out.size === 0);
  }

  /** Trials that were handed out and not heard of since. */
  get underWay(): number {
    return this.#lanes.reduce((total, { out }) => total + out.size, 0);
  }

  /** Call when a trial was heard of. */
  settle(systemIndex: number, index: number): void {
    this.#lastNews = Date.now();
    this.#lanes[systemIndex]?.out.delete(index);
  }

  /** Hands out as many trials as are wanted just now. */
  async fill(): Promise<void> {
    this.#filling ??= this.#fillAll().finally(() => {
      this.#filling = null;
      this.wake();
    });
    await this.#filling;
  }

  /** Takes back what no worker has begun, and hands out nothing more. */
  async withdraw(): Promise<void> {
    if (this.#isWithdrawn) return;
    this.#isWithdrawn = true;
    await this.#filling;
    for (const lane of this.#lanes) {
      lane.isExhausted = true;
      await lane.queue.drain();
      const active = await lane.queue.getActive();
      const begun = new Set(active.map(({ data }) => data?.index));
      for (const index of lane.out) if (!begun.has(index)) lane.out.delete(index);
    }
    this.wake();
  }

  /** Hands out again what is out: nothing is known of it any more. */
  async repeat(): Promise<void> {
    for (const lane of this.#lanes) await addJobs(lane.queue, [...lane.out], true);
  }

  /** Finds trials that are out and nowhere to be found, and hands them out again. */
  async reconcile({ waiting, active }: Pick<QueueState, "waiting" | "active">): Promise<void> {
    const isQuiet = Date.now() - this.#lastNews > QUIET_MS;
    if (!isQuiet || waiting + active > 0 || this.underWay === 0) return;
    const { redis, key } = this.#options;
    if ((await redis.xlen(KEYS.results(key))) > 0) return;
    this.#lastNews = Date.now();
    if (!this.#isWithdrawn) return this.repeat();
    for (const { out } of this.#lanes) out.clear();
  }

  /** How many trials wait for a worker, and how many are with one. */
  async counts(): Promise<Pick<QueueState, "waiting" | "active">> {
    const all = await Promise.all(this.#lanes.map(({ queue }) => queue.getJobCounts(...COUNTED)));
    const sum = (states: readonly string[]) =>
      all.reduce((total, counts) => total + states.reduce((some, state) => some + (counts[state] ?? 0), 0), 0);
    return { waiting: sum(["wait", "delayed", "prioritized"]), active: sum(["active"]) };
  }

  async close(): Promise<void> {
    await this.#filling?.catch(() => {});
    await Promise.allSettled(this.#lanes.map(({ queue }) => queue.close()));
  }

  /** Resolves when something has changed, or after a while. */
  async change(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Something has changed. */
  wake(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }

  async #fillAll(): Promise<void> {
    if (!this.#isWithdrawn) await Promise.all(this.#lanes.map((lane) => this.#fillLane(lane)));
  }

  async #fillLane(lane: Lane): Promise<void> {
    const ahead = LEAST_AHEAD + AHEAD_OF_SLOT * this.slots;
    while (!lane.isExhausted && lane.out.size < ahead) {
      const batch: number[] = [];
      while (batch.length < BULK && lane.out.size < ahead) {
        const next = lane.trials.next();
        if (next.done === true) {
          lane.isExhausted = true;
          break;
        }
        batch.push(next.value.index);
        lane.out.add(next.value.index);
      }
      await addJobs(lane.queue, batch, this.#isResumed);
    }
  }
}

const COUNTED = ["wait", "delayed", "prioritized", "active"] as const;

/** A job that is there already is not added again: its name is that of its trial. */
async function addJobs(queue: Queue<TrialJob>, indexes: readonly number[], again: boolean): Promise<void> {
  if (indexes.length === 0) return;
  await queue.addBulk(
    indexes.map((index) => ({
      name: "trial",
      data: again ? { index, again } : { index },
      opts: { jobId: `trial-${index}`, removeOnComplete: true, removeOnFail: true },
    })),
  );
}
