import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Announcement } from "./contract.js";
import { insist } from "./insist.js";
import { KEYS } from "./keys.js";
import { redisTime } from "./presence.js";
import { parseSigned, type Signer } from "./signer.js";

/** How often a worker looks whether its run goes on. */
const LOOK_MS = 500;
/** How long a worker stays with a run whose coordinator is silent. */
const PATIENCE_MS = 60_000;
/** A Redis that lost its data has been told of the run again by then. */
const AGAIN_MS = 5000;

/** "changed": it was announced anew, on other terms. "dismissed": this worker is to leave. */
type Standing = "going" | "silent" | "over" | "changed" | "dismissed";

/** Why a worker leaves a run. */
export type Leaving = "over" | "changed" | "silent" | "told" | "dismissed";

export interface WatchOptions {
  redis: Redis;
  announcement: Announcement;
  signer: Signer;
  /** Who watches. */
  worker: string;
  /** How long Redis may refuse. */
  refusalMs?: number | undefined;
}

export interface WatchListeners {
  /** Aborted when the worker is to stop. */
  stop: AbortSignal;
  /** The coordinator is silent: nobody would record what is started now. */
  onSilent: () => Promise<unknown>;
  /** It is there again, or another is: the run was started again. */
  onBack: () => void;
}

/** Follows a run from the side of a worker. */
export class RunWatch {
  /** Why this worker is to leave; null while it is not. */
  dismissal: string | null = null;
  readonly #options: WatchOptions;
  readonly #redis: Redis;
  readonly #key: string;
  readonly #served: string;
  readonly #limitMs: number | undefined;
  /** Of the run; null before the first look. */
  #start: string | null = null;
  #isStartedAgain = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#redis = options.redis;
    this.#limitMs = options.refusalMs;
    this.#key = options.announcement.key;
    this.#served = JSON.stringify(options.announcement);
  }

  /** Resolves when the run is over or changed, when this worker is to leave, when its coordinator has been silent for long, or when told to stop. */
  async untilLeft({ stop, onSilent, onBack }: WatchListeners): Promise<Leaving> {
    let silentSince: number | null = null;
    while (!stop.aborted) {
      const standing = await unlessAborted(
        stop,
        insist(() => this.#look(), { limitMs: this.#limitMs }),
      );
      if (standing === "over" || standing === "changed" || standing === "dismissed") return standing;
      if (standing === "silent") {
        if (silentSince === null) void onSilent();
        silentSince ??= Date.now();
        if (Date.now() - silentSince > PATIENCE_MS) return "silent";
      } else if (standing === "going" && (silentSince !== null || this.#isStartedAgain)) {
        silentSince = null;
        this.#isStartedAgain = false;
        onBack();
      }
      await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => {});
    }
    return "told";
  }

  /** Whether a run that was over a moment ago still is: Redis may only have lost its data. False when told to stop. */
  async isOverForGood(stop: AbortSignal): Promise<boolean> {
    await sleep(AGAIN_MS, undefined, { signal: stop }).catch(() => {});
    return !stop.aborted && (await insist(() => this.#look(), { limitMs: this.#limitMs })) === "over";
  }

  async #look(): Promise<Standing> {
    const { worker, signer } = this.#options;
    const [until, text, start, leave, now] = await Promise.all([
      this.#redis.zscore(KEYS.runs, this.#key),
      this.#redis.get(KEYS.run(this.#key)),
      this.#redis.get(KEYS.start(this.#key)),
      this.#redis.hget(KEYS.leaving(this.#key), worker),
      redisTime(this.#redis),
    ]);
    if (until === null) return "over";
    // Lost by Redis, it is announced again on the same terms.
    if (text !== null && parseSigned(text)?.body !== this.#served) return "changed";
    this.#isStartedAgain ||= start !== null && this.#start !== null && start !== this.#start;
    this.#start = start ?? this.#start;
    this.dismissal = leave === null ? null : signer.openLeave(this.#key, worker, leave);
    if (this.dismissal !== null) return "dismissed";
    return Number(until) > now ? "going" : "silent";
  }
}

/** What is waited for; null when the signal is aborted before. Nothing is left behind on a signal that lives long. */
export function unlessAborted<T>(signal: AbortSignal, awaited: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(null);
    signal.addEventListener("abort", onAbort, { once: true });
    awaited.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
