import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { KEYS } from "./keys.js";
import { redisTime } from "./presence.js";

/** How often a worker looks whether its run goes on. */
const LOOK_MS = 500;
/** How long a worker stays with a run whose coordinator is silent. */
const PATIENCE_MS = 60_000;

export interface WatchListeners {
  /** Aborted when the worker is to stop. */
  drain: AbortSignal;
  /** The coordinator is silent: nobody would record what is started now. */
  onSilent: () => Promise<unknown>;
  /** It is there again. */
  onBack: () => void;
  /** Rejects when the worker cannot go on. */
  fault: Promise<never>;
}

/** Follows a run from the side of a worker. */
export class RunWatch {
  readonly #redis: Redis;
  readonly #key: string;

  constructor(redis: Redis, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  /** Resolves when the run is over, when its coordinator has been silent for long, or when the worker is to stop. */
  async untilOver({ drain, onSilent, onBack, fault }: WatchListeners): Promise<void> {
    let silentSince: number | null = null;
    const told = new Promise<"over">((resolve) => {
      drain.addEventListener("abort", () => resolve("over"), { once: true });
    });
    while (!drain.aborted) {
      const state = await Promise.race([this.#look(), fault, told]);
      if (state === "over") return;
      if (state === "silent") {
        if (silentSince === null) void onSilent();
        silentSince ??= Date.now();
        if (Date.now() - silentSince > PATIENCE_MS) return;
      } else if (silentSince !== null) {
        silentSince = null;
        onBack();
      }
      await Promise.race([sleep(LOOK_MS, undefined, { signal: drain }).catch(() => {}), fault]);
    }
  }

  async #look(): Promise<"going" | "silent" | "over"> {
    const [until, now] = await Promise.all([this.#redis.zscore(KEYS.runs, this.#key), redisTime(this.#redis)]);
    if (until === null) return "over";
    return Number(until) > now ? "going" : "silent";
  }
}
