import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { AssayError, messageOf } from "../core/errors.js";
import type { EvalRow } from "../core/row.js";
import { trialAt } from "../runner/admit.js";
import { type Earlier, Ledger } from "../runner/ledger.js";
import type { Plan } from "../runner/plan.js";
import type { RunPorts } from "../runner/ports.js";
import { notRunRow } from "../runner/record.js";
import { Announcer } from "./announcer.js";
import { openAnother } from "./connection.js";
import type { Announcement, QueueBudget, QueueState } from "./contract.js";
import { clearRun } from "./directory.js";
import { Dismissals } from "./dismissals.js";
import { Feeder } from "./feeder.js";
import { Inbox } from "./inbox.js";
import { insist } from "./insist.js";
import { KEYS } from "./keys.js";
import { makeSharedFolder, removeSharedFolder } from "./output-folder.js";
import { RunMoney } from "./run-money.js";
import type { Signer } from "./signer.js";
import { StateKeeper } from "./state-keeper.js";
import { encodeStored, sealStored } from "./stored-output.js";

interface FarewellOptions {
  redis: Redis;
  /** Told once why something was left as it is. */
  onNote: (note: string) => void;
  /** How long Redis may say nothing; five seconds unless given. */
  silenceMs?: number;
}

const SILENCE_MS = 5000;

/**
 * What is asked of Redis at the end of a run. A command waits for a lost connection for as long as it takes, and so would
 * the report: when Redis says nothing for a while it is asked nothing more, and what it refuses costs a note.
 */
class Farewell {
  /** True once Redis has been given up. */
  isSilent = false;
  readonly #options: FarewellOptions;

  constructor(options: FarewellOptions) {
    this.#options = options;
  }

  /** What came of a step; null when Redis did not answer or refused. */
  async ask<T>(step: () => Promise<T>): Promise<T | null> {
    if (this.isSilent) return null;
    const over = new AbortController();
    try {
      return await Promise.race([step(), this.#silence(over.signal)]);
    } catch (error) {
      // A disk that is full is no fault of Redis.
      if (error instanceof AssayError) throw error;
      this.#options.onNote(`Redis could not be told that this is over: ${messageOf(error)}`);
      return null;
    } finally {
      over.abort();
    }
  }

  /** Resolves when Redis has said nothing for too long: what was asked of it is never sent. */
  async #silence(signal: AbortSignal): Promise<null> {
    const { redis, onNote, silenceMs = SILENCE_MS } = this.#options;
    while (await answers(redis, silenceMs, signal)) await sleep(silenceMs / 10, undefined, { signal }).catch(() => {});
    if (signal.aborted) return null;
    this.isSilent = true;
    redis.disconnect();
    onNote(
      "Redis does not answer; what it holds of the run stays there, and what workers still finish is taken by --resume",
    );
    return null;
  }
}

/** Whatever it says is an answer. False also when nobody wants to know any more. */
async function answers(redis: Redis, silenceMs: number, signal: AbortSignal): Promise<boolean> {
  const pong = redis.ping().then(
    () => true,
    () => true,
  );
  const isThere = await Promise.race([pong, sleep(silenceMs, false, { signal }).catch(() => false)]);
  return isThere && !signal.aborted;
}

export interface CoordinateOptions {
  redis: Redis;
  /** The address of the queue, for people. */
  url: string;
  announcement: Announcement;
  /** The run folder and its machine, which tell this coordinator from one of a copy of the run. */
  owner: string;
  signer: Signer;
  plan: Plan;
  ports: Pick<RunPorts, "clock" | "tokenizer" | "sink" | "onProgress" | "signal">;
  earlier: Earlier;
  /** What earlier starts of the run have spent, as their last state says; null when there is none. */
  lastBudget: QueueBudget | null;
  onNote: (note: string) => void;
  /** Told about once a second how the queue does. */
  onState: (state: QueueState) => void;
  /** How long Redis may say nothing at the end, and refuse before; for tests. */
  silenceMs?: number;
  patienceMs?: number;
}

/** What came of a run over a queue. */
export interface Coordinated {
  rows: EvalRow[];
  budget: QueueBudget | null;
  /** What was spent on trials that failed at a worker that was told to leave, and were run again. */
  repeatedUsd: number;
  /** What was spent on outputs that are stored and not graded yet. */
  ungradedUsd: number;
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
    const isOver = (await run.open()) && (await run.untilDone());
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
  readonly #money: RunMoney;
  readonly #feeder: Feeder;
  readonly #closing = new AbortController();
  readonly #dismissals: Dismissals;
  readonly #inbox: Inbox;
  readonly #keeper: StateKeeper;
  /** What Redis has refused with. */
  readonly #refusals = new Set<string>();
  readonly #farewell: Farewell;
  #failure: { error: unknown } | null = null;

  constructor(options: CoordinateOptions) {
    const { redis, announcement, plan, ports, earlier, onNote, signer } = options;
    this.#options = options;
    this.#ledger = new Ledger(plan, ports, earlier);
    this.#announcer = new Announcer(options);
    const recordedUsd = () => earlier.spentUsd + this.#inbox.spentUsd;
    this.#money = new RunMoney({ redis, announcement, last: options.lastBudget, recordedUsd });
    const { signal } = ports;
    this.#feeder = new Feeder({ redis, key: announcement.key, plan, ledger: this.#ledger, signal, signer });
    const [ledger, feeder] = [this.#ledger, this.#feeder];
    const dismissals = new Dismissals({ redis, key: announcement.key, signer, onNote });
    this.#dismissals = dismissals;
    const { outputs } = earlier;
    this.#inbox = new Inbox({ redis, announcement, plan, ledger, outputs, feeder, onNote, signer, dismissals });
    this.#keeper = new StateKeeper({ ...options, money: this.#money, feeder, done: this.#inbox.done, dismissals });
    this.#farewell = new Farewell(options);
  }

  /** False when the run was told to stop before it could begin. */
  async open(): Promise<boolean> {
    const { announcement, ports } = this.#options;
    if (announcement.sharedDir !== null) makeSharedFolder(announcement.sharedDir, announcement.key);
    const opening = this.#insist(() => this.#begin()).then(() => true);
    const isOpen = await Promise.race([opening, this.#stopped(ports.signal)]);
    if (isOpen) return true;
    this.#closing.abort();
    await this.#farewell.ask(() => opening);
    await this.#farewell.ask(() => this.#feeder.withdraw());
    return false;
  }

  /** True when nothing is left to be done; false when the run was told to stop before. */
  async untilDone(): Promise<boolean> {
    const { redis, ports } = this.#options;
    const reader = openAnother(redis);
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
      await this.#farewell.ask(() => Promise.allSettled(loops));
    }
  }

  async close(isOver: boolean): Promise<Coordinated> {
    // What came in while the last trials were taken back.
    await this.#farewell.ask(() => this.#inbox.empty());
    const rows = this.#ledger.close();
    await this.#farewell.ask(() => this.#keeper.look());
    const state = this.#keeper.conclude();
    this.#options.onState(state);
    await this.#farewell.ask(() => this.#feeder.close());
    await this.#farewell.ask(() => (isOver ? this.#clear() : this.#announcer.leave()));
    const { repeatedUsd } = this.#ledger;
    const { ungradedUsd } = this.#inbox;
    return { rows, budget: state.budget, repeatedUsd, ungradedUsd, notes: [...this.#inbox.notes(), ...state.notes] };
  }

  /** After the run has failed: what was recorded is written, and workers are told that nobody is there any more. */
  async abandon(): Promise<void> {
    this.#closing.abort();
    this.#ledger.abandon();
    await this.#farewell.ask(() => Promise.allSettled([this.#feeder.close(), this.#announcer.leave()]));
  }

  async #begin(): Promise<void> {
    const wasThere = await this.#announcer.announce();
    await this.#money.open();
    // What was delivered to an earlier start is not run again.
    await this.#inbox.open();
    await this.#shareOutputs();
    await this.#feeder.open({ isResumed: wasThere });
  }

  /** Has workers only grade what earlier starts of the run have paid for. */
  async #shareOutputs(): Promise<void> {
    const { redis, announcement, signer, earlier } = this.#options;
    const { key, sharedDir } = announcement;
    const folder = sharedDir === null ? null : join(sharedDir, key);
    for (const [index, ungraded] of earlier.outputs) {
      const line = this.#ledger.has(index) ? null : encodeStored(ungraded, folder);
      if (line === null) continue;
      await redis.hset(KEYS.outputs(key), index, await sealStored(index, line, { key, signer, folder }));
    }
  }

  async #clear(): Promise<void> {
    const { redis, announcement, plan } = this.#options;
    const { key, sharedDir } = announcement;
    await clearRun(redis, key, plan.systems.length);
    if (sharedDir !== null) removeSharedFolder(sharedDir, key);
  }

  #isDone(): boolean {
    if (this.#failure !== null) throw this.#failure.error;
    return this.#feeder.isDone;
  }

  /** Nothing more is handed out. What is under way goes on: its results wait for the next start of the run. */
  async #stop(): Promise<boolean> {
    await this.#farewell.ask(() => this.#feeder.withdraw());
    if (this.#farewell.isSilent) return false;
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
        await this.#insist(step);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#failure = { error };
        this.#feeder.wake();
      }
    }
  }

  #insist<T>(step: () => Promise<T>): Promise<T> {
    return insist(step, {
      signal: this.#closing.signal,
      limitMs: this.#options.patienceMs,
      remedy: "Every trial recorded before is kept: see to Redis, then go on with --resume.",
      onRefused: (answer) => this.#sayRefusal(answer),
    });
  }

  /** Once for each kind: some answers hold figures that change. */
  #sayRefusal(answer: string): void {
    const [kind = ""] = answer.split(" ");
    if (this.#refusals.has(kind)) return;
    this.#refusals.add(kind);
    this.#options.onNote(`Redis refuses what the run asks of it, which is tried again: ${answer}`);
  }

  /** Everything that nobody is told of: leases, lost data, the state for people. */
  async #look(): Promise<void> {
    await this.#restore();
    const state = await this.#keeper.look();
    if (state.budget?.isRefusing === true) await this.#feeder.withdraw();
    this.#feeder.slots = state.workers.reduce((total, { concurrency }) => total + concurrency, 0);
    for (const { system, why } of this.#dismissals.findStopped(state.workers)) await this.#stopSystem(system, why);
    if (await this.#dismissals.areGone(state.workers)) await this.#feeder.releaseHeld();
    await this.#feeder.fill();
    await this.#feeder.reconcile();
    this.#options.onState(state);
    this.#ledger.tell(this.#keeper.waiting(state));
    await sleep(LOOK_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
  }

  /** Asked at every look: trials that were under way then come back one by one. */
  async #stopSystem(system: string, why: string): Promise<void> {
    const { plan } = this.#options;
    const systemIndex = plan.systems.findIndex(({ name }) => name === system);
    if (systemIndex === -1) return;
    for (const index of await this.#feeder.stop(systemIndex)) {
      const trial = trialAt(plan, index);
      if (trial === null || this.#ledger.has(index)) continue;
      const row = notRunRow(trial, why, this.#ledger.attemptsOf(trial));
      this.#ledger.record(trial, { row, output: null, evidence: null, grades: null });
    }
    await this.#ledger.written();
  }

  /** Redis may have come back without what was in it, or have made room where it should not. */
  async #restore(): Promise<void> {
    const { isAnnounced, hasBudget } = await this.#announcer.renew();
    if (!isAnnounced) await this.#announcer.announce();
    if (!isAnnounced || !hasBudget) await this.#money.open();
    if (isAnnounced) return;
    await this.#shareOutputs();
    await this.#feeder.repeat();
  }

  /** Resolves when the run is told to stop. */
  #stopped(signal: AbortSignal): Promise<false> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve(false);
      else signal.addEventListener("abort", () => resolve(false), { once: true, signal: this.#closing.signal });
    });
  }
}
