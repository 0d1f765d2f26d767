import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Announcement } from "./contract.js";
import { KEYS } from "./keys.js";
import { retryRedis } from "./redis-retry.js";
import { parseSignedAnnouncement, type QueueSigner } from "./signer.js";
import { readRedisTime } from "./worker-heartbeat.js";

/** How often a worker checks its run. */
const CHECK_INTERVAL_MS = 500;
/** How long a worker stays with a run whose coordinator is silent. */
const COORDINATOR_TIMEOUT_MS = 60_000;
/** By then a Redis that lost its data has the run again. */
const RECHECK_DELAY_MS = 5000;

/** "changed": it was announced again with other settings. "dismissed": this worker must leave. */
type WatchedRunStatus = "going" | "silent" | "over" | "changed" | "dismissed";

/** Why a worker leaves a run. */
export type LeaveReason = "over" | "changed" | "silent" | "told" | "dismissed";

export interface RunWatchOptions {
  redis: Redis;
  announcement: Announcement;
  signer: QueueSigner;
  worker: string;
  /** How long Redis may refuse. */
  refusalMs?: number | undefined;
}

export interface RunWatchListeners {
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
  readonly #options: RunWatchOptions;
  readonly #redis: Redis;
  readonly #key: string;
  readonly #served: string;
  readonly #limitMs: number | undefined;
  /** The start of the run; null before the first check. */
  #start: string | null = null;
  #isStartedAgain = false;

  constructor(options: RunWatchOptions) {
    this.#options = options;
    this.#redis = options.redis;
    this.#limitMs = options.refusalMs;
    this.#key = options.announcement.key;
    this.#served = JSON.stringify(options.announcement);
  }

  /** Resolves when the run is over or changed, when this worker is dismissed, when the coordinator has been silent for too long, or on `stop`. */
  async waitUntilLeft({ stop, onSilent, onBack }: RunWatchListeners): Promise<LeaveReason> {
    let silentSince: number | null = null;
    while (!stop.aborted) {
      const standing = await resolveUnlessAborted(
        stop,
        retryRedis(() => this.#checkRun(), { limitMs: this.#limitMs }),
      );
      if (standing === "over" || standing === "changed" || standing === "dismissed") return standing;
      if (standing === "silent") {
        if (silentSince === null) void onSilent();
        silentSince ??= Date.now();
        if (Date.now() - silentSince > COORDINATOR_TIMEOUT_MS) return "silent";
      } else if (standing === "going" && (silentSince !== null || this.#isStartedAgain)) {
        silentSince = null;
        this.#isStartedAgain = false;
        onBack();
      }
      await sleep(CHECK_INTERVAL_MS, undefined, { signal: stop }).catch(() => {});
    }
    return "told";
  }

  /** Whether a run that was just over still is: Redis may only have lost its data. Returns false on `stop`. */
  async isOverForGood(stop: AbortSignal): Promise<boolean> {
    await sleep(RECHECK_DELAY_MS, undefined, { signal: stop }).catch(() => {});
    return !stop.aborted && (await retryRedis(() => this.#checkRun(), { limitMs: this.#limitMs })) === "over";
  }

  async #checkRun(): Promise<WatchedRunStatus> {
    const { worker, signer } = this.#options;
    const [until, text, start, leave, now] = await Promise.all([
      this.#redis.zscore(KEYS.runs, this.#key),
      this.#redis.get(KEYS.run(this.#key)),
      this.#redis.get(KEYS.start(this.#key)),
      this.#redis.hget(KEYS.leaving(this.#key), worker),
      readRedisTime(this.#redis),
    ]);
    if (until === null) return "over";
    // An announcement lost by Redis is published again unchanged.
    if (text !== null && parseSignedAnnouncement(text)?.body !== this.#served) return "changed";
    this.#isStartedAgain ||= start !== null && this.#start !== null && start !== this.#start;
    this.#start = start ?? this.#start;
    this.dismissal = leave === null ? null : signer.openLeave(this.#key, worker, leave);
    if (this.dismissal !== null) return "dismissed";
    return Number(until) > now ? "going" : "silent";
  }
}

/** Resolves with the awaited value, or null if the signal aborts first. Removes its listener from long-lived signals. */
export function resolveUnlessAborted<T>(signal: AbortSignal, awaited: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(null);
    signal.addEventListener("abort", onAbort, { once: true });
    awaited.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
