import { isTrialError, type Retry } from "./errors.js";

/** Limits for retrying calls that failed before any output. */
export interface RetryPolicy {
  maxRetries: number;
  /** Maximum total wait of one trial or one judge question. */
  maxWaitMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxRetries: 5, maxWaitMs: 120_000 };

const INITIAL_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/**
 * How long to wait before retrying a failed call; null to give up. Follows the wait requested by the endpoint, else
 * backs off exponentially. Jitter spreads out trials that failed together.
 */
export function computeRetryDelay(
  retry: Retry,
  { failed, waitedMs }: { readonly failed: number; readonly waitedMs: number },
  { policy, random }: { policy: RetryPolicy; random: () => number },
): number | null {
  if (failed > policy.maxRetries) return null;
  const growing = Math.min(MAX_WAIT_MS, INITIAL_WAIT_MS * 2 ** (failed - 1));
  const jitter = random();
  const wait = retry.afterMs === null ? growing * (0.5 + 0.5 * jitter) : retry.afterMs + INITIAL_WAIT_MS * 0.5 * jitter;
  return waitedMs + wait <= policy.maxWaitMs ? wait : null;
}

/** The retry hint of an error; null if it should not be retried. */
export function getRetry(error: unknown): Retry | null {
  if (!isTrialError(error)) return null;
  const { retry } = error;
  if (typeof retry !== "object" || retry === null) return null;
  const { afterMs } = retry;
  return {
    afterMs: typeof afterMs === "number" && afterMs >= 0 && afterMs < Number.POSITIVE_INFINITY ? afterMs : null,
  };
}
