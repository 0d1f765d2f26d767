import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { EvalRow } from "../core/index.js";
import { AssayError, getErrorMessage } from "../core/index.js";
import type { Plan, RunPorts } from "../runner/index.js";
import { countTasksAhead, type EarlierResults, findTrial, RowCollector, toNotRunRow } from "../runner/index.js";
import { RunAnnouncer } from "./announcer.js";
import { duplicateConnection } from "./connection.js";
import type { Announcement, QueueBudget, QueueState } from "./contract.js";
import { removeRun } from "./directory.js";
import { Dispatcher } from "./dispatcher.js";
import { ResultInbox } from "./inbox.js";
import { KEYS } from "./keys.js";
import { QueueStateTracker } from "./queue-state.js";
import { CoordinatorBudget } from "./redis-budget.js";
import { retryRedis } from "./redis-retry.js";
import type { QueueSigner } from "./signer.js";
import { encodeStoredOutput, makeSharedFolder, removeSharedFolder, sealOutput } from "./stored-output.js";
import { WorkerDismissals } from "./worker-dismissals.js";

interface ShutdownGuardOptions {
  redis: Redis;
  /** Called once with the reason why something was left in Redis. */
  onNote: (note: string) => void;
  /** How long Redis may be silent. Default: 5000. */
  silenceMs?: number;
}

const DEFAULT_SILENCE_MS = 5000;

/**
 * Runs the Redis commands at the end of a run. Commands wait for a lost connection without a limit and would delay the
 * report: when Redis is silent for too long, no further command is sent, and an error only adds a note.
 */
class ShutdownGuard {
  /** True once Redis has been given up. */
  isSilent = false;
  readonly #options: ShutdownGuardOptions;

  constructor(options: ShutdownGuardOptions) {
    this.#options = options;
  }

  /** Returns the result of a step, or null if Redis did not answer or refused. */
  async run<T>(step: () => Promise<T>): Promise<T | null> {
    if (this.isSilent) return null;
    const over = new AbortController();
    try {
      return await Promise.race([step(), this.#waitForSilence(over.signal)]);
    } catch (error) {
      // Errors like a full disk have nothing to do with Redis.
      if (error instanceof AssayError) throw error;
      this.#options.onNote(`The end of the run could not be reported to Redis: ${getErrorMessage(error)}`);
      return null;
    } finally {
      over.abort();
    }
  }

  /** Resolves when Redis has been silent for too long; pending commands are then never sent. */
  async #waitForSilence(signal: AbortSignal): Promise<null> {
    const { redis, onNote, silenceMs = DEFAULT_SILENCE_MS } = this.#options;
    while (await pingRedis(redis, silenceMs, signal))
      await sleep(silenceMs / 10, undefined, { signal }).catch(() => {});
    if (signal.aborted) return null;
    this.isSilent = true;
    redis.disconnect();
    onNote("Redis does not answer. Its data of the run stays there, and --resume collects what workers still finish");
    return null;
  }
}

/** Any reply counts as an answer. Returns false also after an abort. */
async function pingRedis(redis: Redis, silenceMs: number, signal: AbortSignal): Promise<boolean> {
  const pong = redis.ping().then(
    () => true,
    () => true,
  );
  const isThere = await Promise.race([pong, sleep(silenceMs, false, { signal }).catch(() => false)]);
  return isThere && !signal.aborted;
}

export interface CoordinatorOptions {
  redis: Redis;
  /** The URL of the queue, for messages. */
  url: string;
  announcement: Announcement;
  /** The run folder and its machine, which distinguish this coordinator from that of a copied run. */
  owner: string;
  signer: QueueSigner;
  plan: Plan;
  ports: Pick<RunPorts, "clock" | "tokenizer" | "sink" | "onProgress" | "signal" | "stopRule">;
  earlier: EarlierResults;
  /** Spending of earlier starts of the run, from their last state; null if there is none. */
  lastBudget: QueueBudget | null;
  onNote: (note: string) => void;
  /** Called about once a second with the state of the queue. */
  onState: (state: QueueState) => void;
  /** How long Redis may be silent at the end, and refuse before; for tests. */
  silenceMs?: number;
  patienceMs?: number;
}

/** The result of a run over a queue. */
export interface CoordinatedRun {
  rows: EvalRow[];
  budget: QueueBudget | null;
  /** Spend on trials that failed on a dismissed worker and were run again. */
  repeatedUsd: number;
  /** Spend on outputs that are stored but not graded yet. */
  ungradedUsd: number;
  notes: readonly string[];
}

/** How often the coordinator checks everything it is not notified of. */
const CHECK_INTERVAL_MS = 1000;
const WAKE_INTERVAL_MS = 250;
/** How long running trials may continue after the run was stopped; the queue keeps their results. */
const GRACE_MS = 2000;

/**
 * Has workers run every planned trial that is not finished yet, and returns all rows in the plan's order. However the
 * coordinator ends, the next start of the same run continues with what is in the journal and in the queue.
 */
export async function coordinateRun(options: CoordinatorOptions): Promise<CoordinatedRun> {
  const run = new Coordinator(options);
  try {
    const isOver = (await run.open()) && (await run.waitUntilDone());
    return await run.close(isOver);
  } catch (error) {
    await run.abandon();
    throw error;
  }
}

class Coordinator {
  readonly #options: CoordinatorOptions;
  readonly #collector: RowCollector;
  readonly #announcer: RunAnnouncer;
  readonly #money: CoordinatorBudget;
  readonly #dispatcher: Dispatcher;
  readonly #closing = new AbortController();
  readonly #dismissals: WorkerDismissals;
  readonly #inbox: ResultInbox;
  readonly #keeper: QueueStateTracker;
  /** Error replies of Redis so far. */
  readonly #refusals = new Set<string>();
  readonly #shutdown: ShutdownGuard;
  /** Systems whose further trials were withdrawn because the run needs none. */
  readonly #dropped = new Set<number>();
  #failure: { error: unknown } | null = null;

  constructor(options: CoordinatorOptions) {
    const { redis, announcement, plan, ports, earlier, onNote, signer } = options;
    this.#options = options;
    this.#collector = new RowCollector(plan, ports, earlier);
    this.#announcer = new RunAnnouncer(options);
    const recordedUsd = () => earlier.spentUsd + this.#inbox.spentUsd;
    this.#money = new CoordinatorBudget({ redis, announcement, last: options.lastBudget, recordedUsd });
    const { signal } = ports;
    this.#dispatcher = new Dispatcher({
      redis,
      key: announcement.key,
      plan,
      collector: this.#collector,
      signal,
      signer,
    });
    const [collector, dispatcher] = [this.#collector, this.#dispatcher];
    const dismissals = new WorkerDismissals({ redis, key: announcement.key, signer, onNote });
    this.#dismissals = dismissals;
    const { outputs } = earlier;
    this.#inbox = new ResultInbox({
      redis,
      announcement,
      plan,
      collector,
      outputs,
      dispatcher,
      onNote,
      signer,
      dismissals,
    });
    this.#keeper = new QueueStateTracker({
      ...options,
      money: this.#money,
      dispatcher,
      done: this.#inbox.done,
      dismissals,
    });
    this.#shutdown = new ShutdownGuard(options);
  }

  /** Returns false if the run was stopped before it could start. */
  async open(): Promise<boolean> {
    const { announcement, ports } = this.#options;
    if (announcement.sharedDir !== null) makeSharedFolder(announcement.sharedDir, announcement.key);
    const opening = this.#retryRedis(() => this.#begin()).then(() => true);
    const isOpen = await Promise.race([opening, this.#waitForStop(ports.signal)]);
    if (isOpen) return true;
    this.#closing.abort();
    await this.#shutdown.run(() => opening);
    await this.#shutdown.run(() => this.#dispatcher.withdraw());
    return false;
  }

  /** Returns true if all trials are finished, false if the run was stopped before. */
  async waitUntilDone(): Promise<boolean> {
    const { redis, ports } = this.#options;
    const reader = duplicateConnection(redis);
    const loops = [this.#loop(() => this.#inbox.read(reader)), this.#loop(() => this.#checkQueue())];
    try {
      while (!this.#isDone()) {
        if (ports.signal.aborted) return await this.#stop();
        await this.#retryRedis(() => this.#withdrawUnneeded());
        await this.#dispatcher.waitForChange(WAKE_INTERVAL_MS);
      }
      return true;
    } finally {
      this.#closing.abort();
      reader.disconnect();
      await this.#shutdown.run(() => Promise.allSettled(loops));
    }
  }

  async close(isOver: boolean): Promise<CoordinatedRun> {
    // Results that arrived while the last trials were withdrawn.
    await this.#shutdown.run(() => this.#inbox.drain());
    const rows = this.#collector.close();
    await this.#shutdown.run(() => this.#keeper.update());
    const state = this.#keeper.buildFinalState();
    this.#options.onState(state);
    await this.#shutdown.run(() => this.#dispatcher.close());
    await this.#shutdown.run(() => (isOver ? this.#clear() : this.#announcer.leave()));
    const { repeatedUsd } = this.#collector;
    const { ungradedUsd } = this.#inbox;
    return {
      rows,
      budget: state.budget,
      repeatedUsd,
      ungradedUsd,
      notes: [...this.#inbox.listNotes(), ...state.notes],
    };
  }

  /** After the run has failed: writes what was recorded, and tells workers that the coordinator is gone. */
  async abandon(): Promise<void> {
    this.#closing.abort();
    this.#collector.abandon();
    await this.#shutdown.run(() => Promise.allSettled([this.#dispatcher.close(), this.#announcer.leave()]));
  }

  async #begin(): Promise<void> {
    const wasThere = await this.#announcer.announce();
    await this.#money.open();
    // Trials delivered to an earlier start are not run again.
    await this.#inbox.open();
    await this.#shareOutputs();
    await this.#dispatcher.open({ isResumed: wasThere });
  }

  /** Lets workers only grade outputs that earlier starts of the run have paid for. */
  async #shareOutputs(): Promise<void> {
    const { redis, announcement, signer, earlier } = this.#options;
    const { key, sharedDir } = announcement;
    const folder = sharedDir === null ? null : join(sharedDir, key);
    for (const [index, ungraded] of earlier.outputs) {
      const line = this.#collector.has(index) ? null : encodeStoredOutput(ungraded, folder);
      if (line === null) continue;
      await redis.hset(KEYS.outputs(key), index, await sealOutput(index, line, { key, signer, folder }));
    }
  }

  async #clear(): Promise<void> {
    const { redis, announcement, plan } = this.#options;
    const { key, sharedDir } = announcement;
    await removeRun(redis, key, plan.systems.length);
    if (sharedDir !== null) removeSharedFolder(sharedDir, key);
  }

  #isDone(): boolean {
    if (this.#failure !== null) throw this.#failure.error;
    return this.#dispatcher.isDone;
  }

  /** Dispatches no further trials. Running ones continue; their results wait for the next start of the run. */
  async #stop(): Promise<boolean> {
    await this.#shutdown.run(() => this.#dispatcher.withdraw());
    if (this.#shutdown.isSilent) return false;
    const end = Date.now() + GRACE_MS;
    while (!this.#dispatcher.isDone && Date.now() < end) await this.#dispatcher.waitForChange(WAKE_INTERVAL_MS);
    const { dispatchedCount: underWay } = this.#dispatcher;
    if (underWay > 0)
      this.#options.onNote(
        `${underWay} ${underWay === 1 ? "trial is" : "trials are"} still running on workers. The queue keeps their results: continue with --resume.`,
      );
    return false;
  }

  async #loop(step: () => Promise<void>): Promise<void> {
    while (!this.#closing.signal.aborted && this.#failure === null) {
      try {
        await this.#retryRedis(step);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#failure = { error };
        this.#dispatcher.wake();
      }
    }
  }

  #retryRedis<T>(step: () => Promise<T>): Promise<T> {
    return retryRedis(step, {
      signal: this.#closing.signal,
      limitMs: this.#options.patienceMs,
      remedy: "Recorded trials are safe; fix Redis and continue with --resume.",
      onRefused: (answer) => this.#reportRefusal(answer),
    });
  }

  /** Reported once per kind: some replies contain changing numbers. */
  #reportRefusal(answer: string): void {
    const [kind = ""] = answer.split(" ");
    if (this.#refusals.has(kind)) return;
    this.#refusals.add(kind);
    this.#options.onNote(`Redis rejected a request, which is retried: ${answer}`);
  }

  /** Everything without a notification: leases, lost data, the state for the dashboard. */
  async #checkQueue(): Promise<void> {
    await this.#restore();
    const state = await this.#keeper.update();
    if (state.budget?.isRefusing === true) {
      this.#collector.tasks?.halt();
      await this.#dispatcher.withdraw();
    }
    this.#dispatcher.slots = state.workers.reduce((total, { concurrency }) => total + concurrency, 0);
    this.#setTasksAhead();
    for (const { system, why } of this.#dismissals.findStopped(state.workers)) await this.#stopSystem(system, why);
    if (await this.#dismissals.areDismissedGone(state.workers)) await this.#dispatcher.releaseHeld();
    await this.#dispatcher.fill();
    await this.#dispatcher.reconcile();
    this.#options.onState(state);
    this.#collector.reportProgress(this.#keeper.waiting(state));
    await sleep(CHECK_INTERVAL_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
  }

  /** Trials are dispatched ahead of the workers, so tasks are too. */
  #setTasksAhead(): void {
    const { tasks } = this.#collector;
    if (tasks !== null) tasks.ahead = countTasksAhead(this.#options.plan, 2 * this.#dispatcher.slots);
  }

  /** Withdraws what the decision so far makes unnecessary. Workers finish what they have begun. */
  async #withdrawUnneeded(): Promise<void> {
    const { tasks } = this.#collector;
    if (tasks?.isDecided === true) await this.#dispatcher.withdraw();
    for (const systemIndex of tasks?.dropped ?? [])
      if (!this.#dropped.has(systemIndex)) {
        this.#dropped.add(systemIndex);
        await this.#dispatcher.stop(systemIndex);
      }
  }

  /** Called on every check: trials that were running then come back one by one. */
  async #stopSystem(system: string, why: string): Promise<void> {
    const { plan } = this.#options;
    const systemIndex = plan.systems.findIndex(({ name }) => name === system);
    if (systemIndex === -1) return;
    for (const index of await this.#dispatcher.stop(systemIndex)) {
      const trial = findTrial(plan, index);
      if (trial === null || this.#collector.has(index)) continue;
      const row = toNotRunRow(trial, why, this.#collector.getAttempts(trial));
      this.#collector.record(trial, { row, output: null, evidence: null, grades: null });
    }
    await this.#collector.waitForWrite();
  }

  /** Redis may have restarted without its data, or evicted some of it. */
  async #restore(): Promise<void> {
    const { isAnnounced, hasBudget } = await this.#announcer.renew();
    if (!isAnnounced) await this.#announcer.announce();
    if (!isAnnounced || !hasBudget) await this.#money.open();
    if (isAnnounced) return;
    await this.#shareOutputs();
    await this.#dispatcher.dispatchAgain();
  }

  /** Resolves when the run is stopped. */
  #waitForStop(signal: AbortSignal): Promise<false> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve(false);
      else signal.addEventListener("abort", () => resolve(false), { once: true, signal: this.#closing.signal });
    });
  }
}
