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

/** What is to be seen of a worker besides its processes. */
export interface Standing {
  /** True while it takes part in nothing. */
  readonly isIdle: boolean;
  /** Why it does not take part in a run, by the key of the run. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** Shows others a worker that waits for a run, or that takes no part in one. Its processes show themselves. */
export class Reception {
  readonly #options: ReceptionOptions;
  readonly #startedAt = new Date().toISOString();
  /** By the run that is refused; "" for a worker that waits. */
  readonly #shown = new Map<string, Presence>();

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Shows how it stands now, and takes back what was shown before. */
  async show({ isIdle, refusals }: Standing): Promise<void> {
    const waits = isIdle && refusals.size === 0;
    const wanted = new Map<string, string | null>([...refusals, ...(waits ? [["", null] as const] : [])]);
    for (const [run, presence] of this.#shown)
      if (!wanted.has(run) || presence.state.refuses !== wanted.get(run)) await this.#hide(run, presence);
    for (const [run, refuses] of wanted) if (!this.#shown.has(run)) await this.#appear(run, refuses);
  }

  /** Shows nothing any more. */
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

/** How often it looks for runs: news of them may be lost with a connection. */
const LOOK_MS = 1000;
/** How long a Redis that does not answer may hold up the end. */
const FAREWELL_MS = 1000;
/** How long processes have to give trials back. */
const GIVE_BACK_MS = 5000;

export interface SupervisorOptions {
  readonly redis: Redis;
  /** The program that is started for each run, as this one was. */
  readonly launcher: string;
  /** What each process is told besides the run. */
  readonly settings: Omit<ServeOrder, "kind" | "run" | "share">;
  /** Ends with the first run that is announced. */
  readonly isOnce: boolean;
  /** How long trials under way may go on after it was told to stop. */
  readonly drainMs: number;
  /** How long Redis may refuse; a minute unless given. */
  readonly refusalMs?: number;
  readonly progress: WorkerProgress;
}

/** A run that this worker takes part in. */
interface Taken {
  readonly runId: string;
  announcement: Announced;
  /** Why it was refused the last time, when it was: what everybody has heard is not said every minute. */
  readonly refusal: string | null;
  readonly process: RunProcess;
  /** Runs trials that may end their process; null while there are none. */
  alone: RunProcess | null;
}

/**
 * Finds runs whose coordinators are there, and has a process of its own take part in each: modules that were loaded once
 * are not loaded again, and a system that ends its process takes one run with it.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #taken = new Map<string, Taken>();
  /** All that have not ended. */
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

  /** Resolves with the exit code when it was told to stop and every process has ended. */
  async run(): Promise<number> {
    const news = await this.#listen();
    try {
      // A Redis that does not answer holds up the look for runs, and nothing else.
      await Promise.race([this.#keepLooking(), this.#told]);
      await Promise.all(Array.from(this.#running, ({ ended }) => ended));
    } finally {
      clearTimeout(this.#drainTimer);
      news.disconnect();
      await Promise.race([this.#reception.close().catch(() => {}), sleep(FAREWELL_MS)]);
    }
    return this.#exitCode;
  }

  /** Trials under way in all processes. */
  get active(): number {
    return Array.from(this.#running).reduce((total, { state }) => total + (state?.active ?? 0), 0);
  }

  /** Has all processes finish the trials under way and end; what takes too long is given back. */
  drain(): void {
    this.#isStopping = true;
    this.#drainTimer ??= setTimeout(() => void this.#giveBack(), this.#options.drainMs);
    for (const each of this.#running) each.drain();
    this.#stop();
  }

  async #giveBack(): Promise<void> {
    const processes = [...this.#running];
    this.#options.progress.say(
      `${plural(this.active, "trial")} still under way after ${this.#options.drainMs / 1000} s: left to other workers.`,
    );
    for (const each of processes) each.giveBack();
    const ended = Promise.all(processes.map((each) => each.ended)).then(() => true);
    if (await Promise.race([ended, sleep(GIVE_BACK_MS, false)])) return;
    // Redis was not told: others take over at the end of the lease.
    this.#exitCode = EXIT.infrastructure;
    await this.quit();
  }

  /** Ends all processes at once. */
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
    // After it was away, nothing that was known of it need be true.
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

  /** Trouble with Redis passes, or somebody has to see to it: the worker waits for a while and says so, once. */
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

  /** Redis refuses for good: nothing that this worker does would be of use. */
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
    if (refusal === null) progress.say(`Taking part in ${runId}${title === "" ? "" : ` (${title})`}${planned}`);
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

  /** Has a process of its own run trials that were lost with theirs: it takes them alone, so that it loses no others. */
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
      this.#options.progress.say(`${runId}: a trial that ran alone has ended its process (${why}).`);
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

/** An announcement, unchecked: the process of the run checks it. What another version wrote is refused there. */
function announced(text: string | null): Announced | null {
  return text === null ? null : (parseSigned(text) ?? { body: text, signedAt: Number.POSITIVE_INFINITY });
}

/** What can be said of a run before its process has looked at it. */
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
  if (kind === "dismissed") return `Told to leave ${runId}: ${why}`;
  if (kind === "refused") return `Not taking part in ${runId}: ${why}`;
  if (kind === "over") return `Done with ${runId}: ${plural(done, "trial")} delivered`;
  return `The process for ${runId} ended (${why}). It is started again in 30 s, or when the run is announced anew.`;
}

/** Wakes the one who waits for it. Rung while nobody does, it is heard by the next. */
export class Bell {
  #isRung = false;
  #wake: () => void = () => {};

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves when it is rung, or after this many milliseconds. */
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
