import { setTimeout as wait } from "node:timers/promises";

/** What happened so far. */
export interface Tries {
  readonly failed: number;
  readonly waitedMs: number;
}

export interface RetryOptions {
  /** How long to wait before the work is done again, in milliseconds; null to give up with the error. */
  readonly waitAfter: (error: unknown, tries: Tries) => number | null;
  /** Ends the waiting: then the reason of the signal is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Waits. Default: as long as it is told to. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * Does the work, and does it again while it fails and `waitAfter` says so.
 * @example
 * await retry(() => save(row), { waitAfter: (_, { failed }) => (failed < 3 ? 100 * 2 ** failed : null) });
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { waitAfter, signal, sleep = pause } = options;
  let waitedMs = 0;
  for (let failed = 1; ; failed++) {
    try {
      return await work();
    } catch (error) {
      const ms = waitAfter(error, { failed, waitedMs });
      if (ms === null) throw error;
      waitedMs += ms;
      await sleep(ms, signal);
    }
  }
}

/** Waits; throws the reason of the signal as soon as it is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw signal?.reason;
  }
}
