import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { EXIT, getErrorMessage } from "../core/index.js";
import type { Announcement, WorkerState } from "../queue/index.js";
import {
  BULL_PREFIX,
  duplicateConnection,
  getQueueName,
  KEYS,
  listLiveRuns,
  parseSignedAnnouncement,
  RedisRefusedError,
  retryRedis,
  WorkerHeartbeat,
} from "../queue/index.js";
import { formatPlural } from "../report/index.js";
import { type AnnouncedRun, WorkerRunHistory } from "./worker-history.js";
import type { ServeRequest } from "./worker-process.js";
import { type ProcessEnding, RunProcess } from "./worker-process.js";
import type { WorkerProgress } from "./worker-progress.js";

export interface StatusPublisherOptions {
  readonly redis: Redis;
  readonly concurrency: number;
  readonly leaseMs: number;
}

export interface WorkerStatus {
  /** True if it has joined no run. */
  readonly isIdle: boolean;
  /** Why it does not join a run, by run key. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** Publishes the state of a worker that is idle or refuses a run. Its child processes publish their own. */
export class WorkerStatusPublisher {
  readonly #options: StatusPublisherOptions;
  readonly #startedAt = new Date().toISOString();
  /** By refused run; "" for an idle worker. */
  readonly #published = new Map<string, WorkerHeartbeat>();

  constructor(options: StatusPublisherOptions) {
    this.#options = options;
  }

  /** Publishes the current state and withdraws the previous one. */
  async publish({ isIdle, refusals }: WorkerStatus): Promise<void> {
    const waits = isIdle && refusals.size === 0;
    const wanted = new Map<string, string | null>([...refusals, ...(waits ? [["", null] as const] : [])]);
    for (const [run, presence] of this.#published)
      if (!wanted.has(run) || presence.state.refuses !== wanted.get(run)) await this.#retract(run, presence);
    for (const [run, refuses] of wanted) if (!this.#published.has(run)) await this.#publishRun(run, refuses);
  }

  /** Withdraws everything. */
  async close(): Promise<void> {
    for (const [run, presence] of this.#published) await this.#retract(run, presence);
  }

  async #publishRun(run: string, refuses: string | null): Promise<void> {
    const { redis, concurrency, leaseMs } = this.#options;
    const host = hostname();
    const state: WorkerState = {
      id: `${host}-${process.pid}-${randomBytes(4).toString("hex")}`,
      host,
      pid: process.pid,
      run: run === "" ? null : run,
      concurrency,
      startedAt: this.#startedAt,
      active: 0,
      done: 0,
      perSecond: 0,
      waiting: null,
      refuses,
    };
    const presence = new WorkerHeartbeat({ redis, state, leaseMs });
    this.#published.set(run, presence);
    await presence.start();
  }

  async #retract(run: string, presence: WorkerHeartbeat): Promise<void> {
    this.#published.delete(run);
    await presence.stop();
  }
}

/** Polls for runs, because announcements may be lost with a connection. */
const SCAN_INTERVAL_MS = 1000;
/** How long an unresponsive Redis may delay the exit. */
const SHUTDOWN_TIMEOUT_MS = 1000;
/** How long processes may take to give trials back. */
const GIVE_BACK_TIMEOUT_MS = 5000;

export interface SupervisorOptions {
  readonly redis: Redis;
  /** The script to start for each run, the same as of this process. */
  readonly launcher: string;
  /** Sent to each process along with the run. */
  readonly settings: Omit<ServeRequest, "kind" | "run" | "share">;
  /** Exits after the first run. */
  readonly isOnce: boolean;
  /** How long running trials may continue after a stop. */
  readonly drainMs: number;
  /** How long Redis may reject requests. Default: one minute. */
  readonly refusalMs?: number;
  readonly progress: WorkerProgress;
}

/** A run that this worker has joined. */
interface SupervisedRun {
  readonly runId: string;
  announcement: AnnouncedRun;
  /** Why it was refused last time, so that the same message is not repeated every minute. */
  readonly refusal: string | null;
  readonly process: RunProcess;
  /** Runs trials that may crash their process; null if there are none. */
  alone: RunProcess | null;
}

/**
 * Finds runs with a live coordinator and starts a child process for each, so that every run loads its own modules and a
 * system that crashes its process affects only one run.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #joined = new Map<string, SupervisedRun>();
  readonly #running = new Set<RunProcess>();
  readonly #history = new WorkerRunHistory();
  readonly #status: WorkerStatusPublisher;
  readonly #wakeSignal = new WakeSignal();
  readonly #stopRequested: Promise<void>;
  #stop: () => void = () => {};
  #exitCode: number = EXIT.fine;
  #isStopping = false;
  #drainTimer: NodeJS.Timeout | undefined;
  #lastTrouble = "";

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { redis, settings } = options;
    const { concurrency, leaseSeconds } = settings;
    this.#status = new WorkerStatusPublisher({ redis, concurrency, leaseMs: leaseSeconds * 1000 });
    this.#stopRequested = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  /** Resolves with the exit code after a stop, when every process has exited. */
  async run(): Promise<number> {
    const news = await this.#listen();
    try {
      // An unresponsive Redis delays only the search for runs.
      await Promise.race([this.#scanUntilStopped(), this.#stopRequested]);
      await Promise.all(Array.from(this.#running, ({ ended }) => ended));
    } finally {
      clearTimeout(this.#drainTimer);
      news.disconnect();
      await Promise.race([this.#status.close().catch(() => {}), sleep(SHUTDOWN_TIMEOUT_MS)]);
    }
    return this.#exitCode;
  }

  /** Running trials of all processes. */
  get active(): number {
    return Array.from(this.#running).reduce((total, { state }) => total + (state?.active ?? 0), 0);
  }

  /** Lets all processes finish their running trials and exit; after the time limit, trials are given back. */
  drain(): void {
    this.#isStopping = true;
    this.#drainTimer ??= setTimeout(() => void this.#giveBack(), this.#options.drainMs);
    for (const each of this.#running) each.drain();
    this.#stop();
  }

  async #giveBack(): Promise<void> {
    const processes = [...this.#running];
    this.#options.progress.note(
      `${formatPlural(this.active, "trial")} still running after ${this.#options.drainMs / 1000} s: left to other workers.`,
    );
    for (const each of processes) each.giveBack();
    const ended = Promise.all(processes.map((each) => each.ended)).then(() => true);
    if (await Promise.race([ended, sleep(GIVE_BACK_TIMEOUT_MS, false)])) return;
    // Redis was not notified: others take over when the lease expires.
    this.#exitCode = EXIT.infrastructure;
    await this.quit();
  }

  /** Stops all processes at once. */
  async quit(): Promise<void> {
    const processes = [...this.#running];
    for (const each of processes) each.quit();
    await Promise.race([Promise.all(processes.map(({ ended }) => ended)), sleep(SHUTDOWN_TIMEOUT_MS)]);
    for (const each of processes) each.kill();
  }

  async #listen(): Promise<Redis> {
    const { redis } = this.#options;
    const news = duplicateConnection(redis);
    news.on("message", () => this.#wakeSignal.notify());
    // After a reconnect, earlier results may be outdated.
    redis.on("ready", () => this.#history.retryAll());
    await news.subscribe(KEYS.news);
    return news;
  }

  async #scanUntilStopped(): Promise<void> {
    while (!this.#isStopping) {
      await this.#tryToScan();
      await this.#wakeSignal.wait(SCAN_INTERVAL_MS);
    }
  }

  /** Problems with Redis may pass or need help: the worker retries for a while and reports each problem once. */
  async #tryToScan(): Promise<void> {
    try {
      await retryRedis(() => this.#scanRuns(), {
        limitMs: this.#options.refusalMs,
        onRefused: (answer) => this.#reportTrouble(answer),
      });
      this.#lastTrouble = "";
    } catch (error) {
      if (error instanceof RedisRefusedError) this.#giveUp(error.message);
      else this.#reportTrouble(getErrorMessage(error));
    }
  }

  #reportTrouble(trouble: string): void {
    if (trouble !== this.#lastTrouble) this.#options.progress.note(`The queue cannot be used: ${trouble}`);
    this.#lastTrouble = trouble;
  }

  /** Redis keeps rejecting requests, so the worker can do nothing useful. */
  #giveUp(why: string): void {
    if (this.#exitCode === EXIT.infrastructure) return;
    this.#exitCode = EXIT.infrastructure;
    this.#options.progress.note(why);
    this.drain();
  }

  async #scanRuns(): Promise<void> {
    const { redis, progress } = this.#options;
    const live = await listLiveRuns(redis);
    this.#history.retain(live);
    for (const key of live) {
      const announcement = parseAnnouncedRun(await redis.get(KEYS.run(key)));
      const taken = this.#joined.get(key);
      if (announcement === null) continue;
      if (taken?.announcement.body === announcement.body) taken.announcement = announcement;
      if (taken !== undefined) await this.#runSuspects(key, taken);
      if (taken === undefined && this.#shouldJoin(key, announcement)) this.#joinRun(key, announcement);
    }
    await this.#status.publish({ isIdle: this.#joined.size === 0, refusals: this.#history.refusals });
    progress.show(Array.from(this.#joined.values()).flatMap(toJoinedRun));
  }

  #shouldJoin(key: string, announcement: AnnouncedRun): boolean {
    if (this.#isStopping || (this.#options.isOnce && this.#joined.size > 0)) return false;
    return this.#history.canTry(key, announcement);
  }

  #joinRun(key: string, announcement: AnnouncedRun): void {
    const { progress } = this.#options;
    const { runId, title, planned } = describeRunAnnouncement(key, announcement.body);
    const refusal = this.#history.findRefusal(key, announcement);
    if (refusal === null) progress.note(`Joining ${runId}${title === "" ? "" : ` (${title})`}${planned}`);
    this.#history.remove(key);
    const process = this.#fork(runId, { run: key, share: "usual" });
    const taken: SupervisedRun = { runId, announcement, refusal, process, alone: null };
    this.#joined.set(key, taken);
    void process.ended.then((ending) => this.#handleExit(key, taken, ending));
  }

  #fork(runId: string, order: Pick<ServeRequest, "run" | "share">): RunProcess {
    const { launcher, settings, progress } = this.#options;
    const onLine = (line: string) => progress.note(`${runId}: ${line}`);
    const child = new RunProcess({ launcher, order: { ...settings, ...order, kind: "serve" }, onLine });
    this.#running.add(child);
    void child.ended.then(() => this.#running.delete(child));
    return child;
  }

  /** Runs trials that were lost with their process in a separate process, one at a time, so that no others are lost. */
  async #runSuspects(key: string, taken: SupervisedRun): Promise<void> {
    if (taken.alone !== null || this.#isStopping) return;
    const waiting = await this.#options.redis.llen(`${BULL_PREFIX}:${getQueueName(key, "suspects")}:wait`);
    if (waiting === 0) return;
    const { runId } = taken;
    const child = this.#fork(runId, { run: key, share: "suspects" });
    taken.alone = child;
    void child.ended.then(({ kind, why }) => {
      if (kind !== "crashed" || this.#isStopping) return;
      taken.alone = null;
      this.#options.progress.note(`${runId}: a trial that ran alone crashed its process (${why}).`);
    });
  }

  #handleExit(key: string, taken: SupervisedRun, ending: ProcessEnding): void {
    const { runId, announcement, refusal, process } = taken;
    this.#joined.delete(key);
    this.#history.record(key, announcement, ending);
    if (ending.kind === "dismissed") taken.alone?.drain();
    if (ending.kind === "gaveUp") {
      this.#giveUp(ending.why);
      return;
    }
    const isNews = ending.kind !== "refused" || ending.why !== refusal;
    if (isNews && (!this.#isStopping || ending.kind !== "crashed"))
      this.#options.progress.note(describeEnding(runId, ending, process.state?.done));
    if (this.#options.isOnce) {
      this.#isStopping = true;
      this.#exitCode = ending.exitCode;
      this.#stop();
    }
    this.#wakeSignal.notify();
  }
}

function toJoinedRun({ runId, process: { state } }: SupervisedRun) {
  return state === null ? [] : [{ runId, state }];
}

/** Unchecked: the process of the run checks it, and rejects announcements of other versions. */
function parseAnnouncedRun(text: string | null): AnnouncedRun | null {
  return text === null ? null : (parseSignedAnnouncement(text) ?? { body: text, signedAt: Number.POSITIVE_INFINITY });
}

/** What is known about a run before its process has checked it. */
function describeRunAnnouncement(key: string, announcement: string): { runId: string; title: string; planned: string } {
  try {
    const { runId = key, title = "", identity } = JSON.parse(announcement) as Partial<Announcement>;
    const planned = identity === undefined ? "" : `: ${formatPlural(identity.planned, "planned trial")}`;
    return { runId, title, planned };
  } catch {
    return { runId: key, title: "", planned: "" };
  }
}

function describeEnding(runId: string, { kind, why }: ProcessEnding, done = 0): string {
  if (kind === "dismissed") return `Dismissed from ${runId}: ${why}`;
  if (kind === "refused") return `Not joining ${runId}: ${why}`;
  if (kind === "over") return `Done with ${runId}: ${formatPlural(done, "trial")} delivered`;
  return `The process for ${runId} ended (${why}). It is restarted in 30 s, or when the run is announced again.`;
}

/** Single-waiter notification; a notify without a waiter is remembered. */
export class WakeSignal {
  #isNotified = false;
  #wake: () => void = () => {};

  notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  /** Resolves when notified, or after this many milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isNotified)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#isNotified = false;
  }
}
