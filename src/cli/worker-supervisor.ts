import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { EXIT, messageOf } from "../core/errors.js";
import { openAnother } from "../queue/connection.js";
import type { Announcement, WorkerState } from "../queue/contract.js";
import { liveRuns } from "../queue/directory.js";
import { insist, RefusalError } from "../queue/insist.js";
import { BULL_PREFIX, KEYS, laneName } from "../queue/keys.js";
import { Presence } from "../queue/presence.js";
import { parseSigned } from "../queue/signer.js";
import { plural } from "../report/format.js";
import { type Announced, RunMemory } from "./worker-memory.js";
import type { ServeOrder } from "./worker-orders.js";
import { type Ending, RunProcess } from "./worker-process.js";
import type { WorkerProgress } from "./worker-progress.js";

export interface ReceptionOptions {
  readonly redis: Redis;
  readonly concurrency: number;
  readonly leaseMs: number;
}

export interface Standing {
  /** True if it has joined no run. */
  readonly isIdle: boolean;
  /** Why it does not join a run, by run key. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** Publishes the state of a worker that is idle or refuses a run. Its child processes publish their own. */
export class Reception {
  readonly #options: ReceptionOptions;
  readonly #startedAt = new Date().toISOString();
  /** By refused run; "" for an idle worker. */
  readonly #shown = new Map<string, Presence>();

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Publishes the current state and withdraws the previous one. */
  async show({ isIdle, refusals }: Standing): Promise<void> {
    const waits = isIdle && refusals.size === 0;
    const wanted = new Map<string, string | null>([...refusals, ...(waits ? [["", null] as const] : [])]);
    for (const [run, presence] of this.#shown)
      if (!wanted.has(run) || presence.state.refuses !== wanted.get(run)) await this.#hide(run, presence);
    for (const [run, refuses] of wanted) if (!this.#shown.has(run)) await this.#appear(run, refuses);
  }

  /** Withdraws everything. */
  async close(): Promise<void> {
    for (const [run, presence] of this.#shown) await this.#hide(run, presence);
  }

  async #appear(run: string, refuses: string | null): Promise<void> {
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
    const presence = new Presence({ redis, state, leaseMs });
    this.#shown.set(run, presence);
    await presence.start();
  }

  async #hide(run: string, presence: Presence): Promise<void> {
    this.#shown.delete(run);
    await presence.stop();
  }
}

/** Polls for runs, because announcements may be lost with a connection. */
const LOOK_MS = 1000;
/** How long an unresponsive Redis may delay the exit. */
const FAREWELL_MS = 1000;
/** How long processes may take to give trials back. */
const GIVE_BACK_MS = 5000;

export interface SupervisorOptions {
  readonly redis: Redis;
  /** The script to start for each run, the same as of this process. */
  readonly launcher: string;
  /** Sent to each process along with the run. */
  readonly settings: Omit<ServeOrder, "kind" | "run" | "share">;
  /** Exits after the first run. */
  readonly isOnce: boolean;
  /** How long running trials may continue after a stop. */
  readonly drainMs: number;
  /** How long Redis may reject requests. Default: one minute. */
  readonly refusalMs?: number;
  readonly progress: WorkerProgress;
}

/** A run that this worker has joined. */
interface Taken {
  readonly runId: string;
  announcement: Announced;
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
  readonly #taken = new Map<string, Taken>();
  readonly #running = new Set<RunProcess>();
  readonly #memory = new RunMemory();
  readonly #reception: Reception;
  readonly #bell = new Bell();
  readonly #told: Promise<void>;
  #stop: () => void = () => {};
  #exitCode: number = EXIT.fine;
  #isStopping = false;
  #drainTimer: NodeJS.Timeout | undefined;
  #lastTrouble = "";

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { redis, settings } = options;
    const { concurrency, leaseSeconds } = settings;
    this.#reception = new Reception({ redis, concurrency, leaseMs: leaseSeconds * 1000 });
    this.#told = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  /** Resolves with the exit code after a stop, when every process has exited. */
  async run(): Promise<number> {
    const news = await this.#listen();
    try {
      // An unresponsive Redis delays only the search for runs.
      await Promise.race([this.#keepLooking(), this.#told]);
      await Promise.all(Array.from(this.#running, ({ ended }) => ended));
    } finally {
      clearTimeout(this.#drainTimer);
      news.disconnect();
      await Promise.race([this.#reception.close().catch(() => {}), sleep(FAREWELL_MS)]);
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
    this.#options.progress.say(
      `${plural(this.active, "trial")} still running after ${this.#options.drainMs / 1000} s: left to other workers.`,
    );
    for (const each of processes) each.giveBack();
    const ended = Promise.all(processes.map((each) => each.ended)).then(() => true);
    if (await Promise.race([ended, sleep(GIVE_BACK_MS, false)])) return;
    // Redis was not notified: others take over when the lease expires.
    this.#exitCode = EXIT.infrastructure;
    await this.quit();
  }

  /** Stops all processes at once. */
  async quit(): Promise<void> {
    const processes = [...this.#running];
    for (const each of processes) each.quit();
    await Promise.race([Promise.all(processes.map(({ ended }) => ended)), sleep(FAREWELL_MS)]);
    for (const each of processes) each.kill();
  }

  async #listen(): Promise<Redis> {
    const { redis } = this.#options;
    const news = openAnother(redis);
    news.on("message", () => this.#bell.ring());
    // After a reconnect, earlier results may be outdated.
    redis.on("ready", () => this.#memory.doubt());
    await news.subscribe(KEYS.news);
    return news;
  }

  async #keepLooking(): Promise<void> {
    while (!this.#isStopping) {
      await this.#looked();
      await this.#bell.heard(LOOK_MS);
    }
  }

  /** Problems with Redis may pass or need help: the worker retries for a while and reports each problem once. */
  async #looked(): Promise<void> {
    try {
      await insist(() => this.#look(), { limitMs: this.#options.refusalMs, onRefused: (answer) => this.#say(answer) });
      this.#lastTrouble = "";
    } catch (error) {
      if (error instanceof RefusalError) this.#giveUp(error.message);
      else this.#say(messageOf(error));
    }
  }

  #say(trouble: string): void {
    if (trouble !== this.#lastTrouble) this.#options.progress.say(`The queue cannot be used: ${trouble}`);
    this.#lastTrouble = trouble;
  }

  /** Redis keeps rejecting requests, so the worker can do nothing useful. */
  #giveUp(why: string): void {
    if (this.#exitCode === EXIT.infrastructure) return;
    this.#exitCode = EXIT.infrastructure;
    this.#options.progress.say(why);
    this.drain();
  }

  async #look(): Promise<void> {
    const { redis, progress } = this.#options;
    const live = await liveRuns(redis);
    this.#memory.keepOnly(live);
    for (const key of live) {
      const announcement = announced(await redis.get(KEYS.run(key)));
      const taken = this.#taken.get(key);
      if (announcement === null) continue;
      if (taken?.announcement.body === announcement.body) taken.announcement = announcement;
      if (taken !== undefined) await this.#runSuspects(key, taken);
      if (taken === undefined && this.#isWanted(key, announcement)) this.#start(key, announcement);
    }
    await this.#reception.show({ isIdle: this.#taken.size === 0, refusals: this.#memory.refusals });
    progress.show(Array.from(this.#taken.values()).flatMap(shown));
  }

  #isWanted(key: string, announcement: Announced): boolean {
    if (this.#isStopping || (this.#options.isOnce && this.#taken.size > 0)) return false;
    return this.#memory.mayTry(key, announcement);
  }

  #start(key: string, announcement: Announced): void {
    const { progress } = this.#options;
    const { runId, title, planned } = aboutRun(key, announcement.body);
    const refusal = this.#memory.refusalOf(key, announcement);
    if (refusal === null) progress.say(`Joining ${runId}${title === "" ? "" : ` (${title})`}${planned}`);
    this.#memory.forget(key);
    const process = this.#fork(runId, { run: key, share: "usual" });
    const taken: Taken = { runId, announcement, refusal, process, alone: null };
    this.#taken.set(key, taken);
    void process.ended.then((ending) => this.#ended(key, taken, ending));
  }

  #fork(runId: string, order: Pick<ServeOrder, "run" | "share">): RunProcess {
    const { launcher, settings, progress } = this.#options;
    const onLine = (line: string) => progress.say(`${runId}: ${line}`);
    const child = new RunProcess({ launcher, order: { ...settings, ...order, kind: "serve" }, onLine });
    this.#running.add(child);
    void child.ended.then(() => this.#running.delete(child));
    return child;
  }

  /** Runs trials that were lost with their process in a separate process, one at a time, so that no others are lost. */
  async #runSuspects(key: string, taken: Taken): Promise<void> {
    if (taken.alone !== null || this.#isStopping) return;
    const waiting = await this.#options.redis.llen(`${BULL_PREFIX}:${laneName(key, "suspects")}:wait`);
    if (waiting === 0) return;
    const { runId } = taken;
    const child = this.#fork(runId, { run: key, share: "suspects" });
    taken.alone = child;
    void child.ended.then(({ kind, why }) => {
      if (kind !== "crashed" || this.#isStopping) return;
      taken.alone = null;
      this.#options.progress.say(`${runId}: a trial that ran alone crashed its process (${why}).`);
    });
  }

  #ended(key: string, taken: Taken, ending: Ending): void {
    const { runId, announcement, refusal, process } = taken;
    this.#taken.delete(key);
    this.#memory.remember(key, announcement, ending);
    if (ending.kind === "dismissed") taken.alone?.drain();
    if (ending.kind === "gaveUp") {
      this.#giveUp(ending.why);
      return;
    }
    const isNews = ending.kind !== "refused" || ending.why !== refusal;
    if (isNews && (!this.#isStopping || ending.kind !== "crashed"))
      this.#options.progress.say(farewell(runId, ending, process.state?.done));
    if (this.#options.isOnce) {
      this.#isStopping = true;
      this.#exitCode = ending.exitCode;
      this.#stop();
    }
    this.#bell.ring();
  }
}

function shown({ runId, process: { state } }: Taken) {
  return state === null ? [] : [{ runId, state }];
}

/** Unchecked: the process of the run checks it, and rejects announcements of other versions. */
function announced(text: string | null): Announced | null {
  return text === null ? null : (parseSigned(text) ?? { body: text, signedAt: Number.POSITIVE_INFINITY });
}

/** What is known about a run before its process has checked it. */
function aboutRun(key: string, announcement: string): { runId: string; title: string; planned: string } {
  try {
    const { runId = key, title = "", identity } = JSON.parse(announcement) as Partial<Announcement>;
    const planned = identity === undefined ? "" : `: ${plural(identity.planned, "planned trial")}`;
    return { runId, title, planned };
  } catch {
    return { runId: key, title: "", planned: "" };
  }
}

function farewell(runId: string, { kind, why }: Ending, done = 0): string {
  if (kind === "dismissed") return `Dismissed from ${runId}: ${why}`;
  if (kind === "refused") return `Not joining ${runId}: ${why}`;
  if (kind === "over") return `Done with ${runId}: ${plural(done, "trial")} delivered`;
  return `The process for ${runId} ended (${why}). It is restarted in 30 s, or when the run is announced again.`;
}

/** Single-waiter notification; a notify without a waiter is remembered. */
export class Bell {
  #isRung = false;
  #wake: () => void = () => {};

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves when notified, or after this many milliseconds. */
  async heard(ms: number): Promise<void> {
    if (!this.#isRung)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#isRung = false;
  }
}
