import { isTrialError, type Retry } from "./errors.js";

/** How often and for how long a call that failed before any output is made again. */
export interface RetryPolicy {
  maxRetries: number;
  /** The longest that the waiting of one trial, or of one question to a judge, may add up to. */
  maxWaitMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxRetries: 5, maxWaitMs: 120_000 };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * How long to wait before a failed call is made again, or null when it is not. The wait that the endpoint asks for is
 * kept to; else it doubles with every failure, less a random part so that trials that failed together come back apart.
 */
export function waitBeforeRetry(
  retry: Retry,
  { failed, waitedMs }: { readonly failed: number; readonly waitedMs: number },
  { policy, random }: { policy: RetryPolicy; random: () => number },
): number | null {
  if (failed > policy.maxRetries) return null;
  const growing = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failed - 1));
  const jitter = random();
  const wait = retry.afterMs === null ? growing * (0.5 + 0.5 * jitter) : retry.afterMs + FIRST_WAIT_MS * 0.5 * jitter;
  return waitedMs + wait <= policy.maxWaitMs ? wait : null;
}

/** What an error says about trying again; null when it does not ask for it. */
export function retryOf(error: unknown): Retry | null {
  if (!isTrialError(error)) return null;
  const { retry } = error;
  if (typeof retry !== "object" || retry === null) return null;
  const { afterMs } = retry;
  return {
    afterMs: typeof afterMs === "number" && afterMs >= 0 && afterMs < Number.POSITIVE_INFINITY ? afterMs : null,
  };
}
