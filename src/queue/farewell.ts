import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { AssayError, messageOf } from "../core/errors.js";

export interface FarewellOptions {
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
export class Farewell {
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
