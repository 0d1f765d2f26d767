import { type RetryPolicy, waitBeforeRetry } from "../core/retry.js";
import { HubError } from "./errors.js";
import type { HubPorts } from "./ports.js";

interface RetryOptions {
  readonly ports: HubPorts;
  readonly signal: AbortSignal | undefined;
  /** How often it is tried at most; five times unless given. */
  readonly tries?: number;
  /** A number that grows as the work gets on: tries that got far enough do not count. */
  readonly mark?: () => number;
}

const MAX_WAIT_MS = 60_000;
const FAR_ENOUGH = 1024 * 1024;

/** Does the work again while its errors say that this may help. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const policy: RetryPolicy = { maxRetries: (options.tries ?? 5) - 1, maxWaitMs: MAX_WAIT_MS };
  const { random, sleep } = options.ports;
  let so = { failed: 0, waitedMs: 0, mark: options.mark?.() ?? 0 };
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HubError) || error.retry === null) throw error;
      const mark = options.mark?.() ?? 0;
      if (mark - so.mark >= FAR_ENOUGH) so = { failed: 0, waitedMs: 0, mark };
      so.failed += 1;
      const ms = waitBeforeRetry(error.retry, so, { policy, random });
      if (ms === null) throw finalError(error, so.failed);
      so.waitedMs += ms;
      await sleep(ms, options.signal);
    }
  }
}

function finalError(error: HubError, failed: number): HubError {
  if (failed === 1) return error;
  return new HubError(`${error.message} It was tried ${failed} times.`, {
    cause: error,
    isOutage: error.isOutage,
  });
}
