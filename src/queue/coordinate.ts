import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { EvalRow } from "../core/row.js";
import { type Earlier, Ledger } from "../runner/ledger.js";
import type { Plan } from "../runner/plan.js";
import type { RunPorts } from "../runner/ports.js";
import { Announcer } from "./announcer.js";
import { openAnother } from "./connection.js";
import type { Announcement, QueueBudget, QueueState } from "./contract.js";
import { clearRun } from "./directory.js";
import { Feeder } from "./feeder.js";
import { Inbox } from "./inbox.js";
import { SharedBudget } from "./shared-budget.js";
import { StateKeeper } from "./state-keeper.js";

export interface CoordinateOptions {
  redis: Redis;
  /** The address of the queue, for people. */
  url: string;
  announcement: Announcement;
  plan: Plan;
  ports: Pick<RunPorts, "clock" | "tokenizer" | "sink" | "onProgress" | "signal">;
  earlier: Earlier;
  /** What trials that were lost at earlier starts may have cost. */
  lostUsd: number;
  onNote: (note: string) => void;
  /** Told about once a second how the queue does. */
  onState: (state: QueueState) => void;
}

/** What came of a run over a queue. */
export interface Coordinated {
  rows: EvalRow[];
  budget: QueueBudget | null;
  notes: readonly string[];
}

/** How often the coordinator looks at everything that does not come by itself. */
const LOOK_MS = 1000;
const WAKE_MS = 250;
/** How long trials under way may go on after the run was told to stop: what they come to is kept in the queue. */
const GRACE_MS = 2000;

/**
 * Has every planned trial that is not done yet run by workers, and returns all rows in the plan's order. Whatever ends
 * the coordinator, the next start of the same run goes on with what is in the journal and in the queue.
 */
export async function coordinate(options: CoordinateOptions): Promise<Coordinated> {
  const run = new Coordinator(options);
  try {
    await run.open();
    const isOver = await run.untilDone();
    return await run.close(isOver);
  } catch (error) {
    await run.abandon();
    throw error;
  }
}

class Coordinator {
  readonly #options: CoordinateOptions;
  readonly #ledger: Ledger;
  readonly #announcer: Announcer;
  readonly #budget: SharedBudget | null;
  readonly #feeder: Feeder;
  readonly #closing = new AbortController();
  readonly #inbox: Inbox;
  readonly #keeper: StateKeeper;
  #failure: { error: unknown } | null = null;

  constructor(options: CoordinateOptions) {
    const { redis, announcement, plan, ports, earlier } = options;
    this.#options = options;
    this.#ledger = new Ledger(plan, ports, earlier);
    this.#announcer = new Announcer(redis, announcement);
    this.#budget = announcement.budget.run === undefined ? null : new SharedBudget(redis, announcement.key);
    const { signal } = ports;
    this.#feeder = new Feeder({ redis, key: announcement.key, plan, ledger: this.#ledger, signal });
    this.#inbox = new Inbox({ redis, announcement, plan, ledger: this.#ledger, earlier, feeder: this.#feeder });
    this.#keeper = new StateKeeper({ ...options, budget: this.#budget, feeder: this.#feeder, done: this.#inbox.done });
  }

  async open(): Promise<void> {
    const wasThere = await this.#announcer.announce();
    await this.#openBudget();
    // What was delivered to an earlier start is not run again.
    await this.#inbox.empty();
    await this.#feeder.open({ isResumed: wasThere });
  }

  /** True when nothing is left to be done; false when the run was told to stop before. */
  async untilDone(): Promise<boolean> {
    const { redis, ports } = this.#options;
    const reader = await openAnother(redis);
    const loops = [this.#loop(() => this.#inbox.read(reader)), this.#loop(() => this.#look())];
    try {
      while (!this.#isDone()) {
        if (ports.signal.aborted) return await this.#stop();
        await this.#feeder.change(WAKE_MS);
      }
      return true;
    } finally {
      this.#closing.abort();
      reader.disconnect();
      await Promise.allSettled(loops);
    }
  }

  async close(isOver: boolean): Promise<Coordinated> {
    // What came in while the last trials were taken back.
    await this.#inbox.empty();
    const rows = this.#ledger.close();
    const state = await this.#keeper.conclude();
    this.#options.onState(state);
    const { redis, announcement, plan } = this.#options;
    await this.#feeder.close();
    if (isOver) await clearRun(redis, announcement.key, plan.systems.length);
    else await this.#announcer.leave();
    return { rows, budget: state.budget, notes: [...this.#inbox.notes(), ...state.notes] };
  }

  /** After the run has failed: what was recorded is written, and workers are told that nobody is there any more. */
  async abandon(): Promise<void> {
    this.#ledger.abandon();
    await Promise.allSettled([this.#feeder.close(), this.#announcer.leave()]);
  }

  #isDone(): boolean {
    if (this.#failure !== null) throw this.#failure.error;
    return this.#feeder.isDone;
  }

  /** Nothing more is handed out. What is under way goes on: its results wait for the next start of the run. */
  async #stop(): Promise<boolean> {
    await this.#feeder.withdraw();
    const end = Date.now() + GRACE_MS;
    while (!this.#feeder.isDone && Date.now() < end) await this.#feeder.change(WAKE_MS);
    const { underWay } = this.#feeder;
    if (underWay > 0)
      this.#options.onNote(
        `${underWay} ${underWay === 1 ? "trial is" : "trials are"} still under way at workers. The queue keeps what they come to: go on with --resume.`,
      );
    return false;
  }

  async #loop(step: () => Promise<void>): Promise<void> {
    while (!this.#closing.signal.aborted && this.#failure === null) {
      try {
        await step();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#failure = { error };
        this.#feeder.wake();
      }
    }
  }

  /** Everything that nobody is told of: leases, lost data, the state for people. */
  async #look(): Promise<void> {
    if (!(await this.#announcer.renew())) {
      // Redis has come back without what was in it.
      await this.#announcer.announce();
      await this.#openBudget();
      await this.#feeder.repeat();
    }
    const state = await this.#keeper.look();
    if (state.budget?.isRefusing === true) await this.#feeder.withdraw();
    this.#feeder.slots = state.workers.reduce((total, { concurrency }) => total + concurrency, 0);
    await this.#feeder.fill();
    await this.#feeder.reconcile(state);
    this.#options.onState(state);
    this.#ledger.tell(this.#keeper.waiting(state));
    await sleep(LOOK_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
  }

  async #openBudget(): Promise<void> {
    const { announcement, earlier, lostUsd } = this.#options;
    const maxCostUsd = announcement.budget.run?.maxCostUsd;
    if (maxCostUsd === undefined) return;
    await this.#budget?.open({ maxCostUsd, spentUsd: earlier.spentUsd + lostUsd + this.#inbox.spentUsd });
  }
}
