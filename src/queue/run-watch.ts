import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Announcement } from "./contract.js";
import { insist } from "./insist.js";
import { KEYS } from "./keys.js";
import { redisTime } from "./presence.js";
import { parseSigned, type Signer } from "./signer.js";

/** How often a worker checks its run. */
const LOOK_MS = 500;
/** How long a worker stays with a run whose coordinator is silent. */
const PATIENCE_MS = 60_000;
/** By then a Redis that lost its data has the run again. */
const AGAIN_MS = 5000;

/** "changed": it was announced again with other settings. "dismissed": this worker must leave. */
type Standing = "going" | "silent" | "over" | "changed" | "dismissed";

/** Why a worker leaves a run. */
export type Leaving = "over" | "changed" | "silent" | "told" | "dismissed";

export interface WatchOptions {
  redis: Redis;
  announcement: Announcement;
  signer: Signer;
  worker: string;
  /** How long Redis may refuse. */
  refusalMs?: number | undefined;
}

export interface WatchListeners {
  /** Aborted when the worker is to stop. */
  stop: AbortSignal;
  /** Called when the coordinator is silent: results of new trials might not be recorded. */
  onSilent: () => Promise<unknown>;
  /** Called when the coordinator is back, or the run was started again. */
  onBack: () => void;
}

/** Watches a run for a worker. */
export class RunWatch {
  /** Why this worker is dismissed; null while it is not. */
  dismissal: string | null = null;
  readonly #options: WatchOptions;
  readonly #redis: Redis;
  readonly #key: string;
  readonly #served: string;
  readonly #limitMs: number | undefined;
  /** The start of the run; null before the first check. */
  #start: string | null = null;
  #isStartedAgain = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#redis = options.redis;
    this.#limitMs = options.refusalMs;
    this.#key = options.announcement.key;
    this.#served = JSON.stringify(options.announcement);
  }

  /** Resolves when the run is over or changed, when this worker is dismissed, when the coordinator has been silent for too long, or on `stop`. */
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

  /** Whether a run that was just over still is: Redis may only have lost its data. Returns false on `stop`. */
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
    // An announcement lost by Redis is published again unchanged.
    if (text !== null && parseSigned(text)?.body !== this.#served) return "changed";
    this.#isStartedAgain ||= start !== null && this.#start !== null && start !== this.#start;
    this.#start = start ?? this.#start;
    this.dismissal = leave === null ? null : signer.openLeave(this.#key, worker, leave);
    if (this.dismissal !== null) return "dismissed";
    return Number(until) > now ? "going" : "silent";
  }
}

/** Resolves with the awaited value, or null if the signal aborts first. Removes its listener from long-lived signals. */
export function unlessAborted<T>(signal: AbortSignal, awaited: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(null);
    signal.addEventListener("abort", onAbort, { once: true });
    awaited.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
