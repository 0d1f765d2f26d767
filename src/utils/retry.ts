import { setTimeout as wait } from "node:timers/promises";

export interface RetryState {
  readonly failed: number;
  readonly waitedMs: number;
}

export interface RetryOptions {
  /** Milliseconds to wait before retrying; null to rethrow the error. */
  readonly waitAfter: (error: unknown, tries: RetryState) => number | null;
  /** Aborts the wait and throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Waits for the delay. Default: a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * Runs the work and retries it as long as `waitAfter` returns a delay.
 * @example
 * await retry(() => save(row), { waitAfter: (_, { failed }) => (failed < 3 ? 100 * 2 ** failed : null) });
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { waitAfter, signal, sleep = waitForRetry } = options;
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

async function waitForRetry(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw signal?.reason;
  }
}
