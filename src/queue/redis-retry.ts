import { getErrorMessage, QueueError } from "../core/index.js";
import { retry } from "../utils/index.js";

const DEFAULT_TIMEOUT_MS = 60_000;
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

export interface RedisRetryOptions {
  /** What the user should do if Redis keeps refusing. */
  readonly remedy?: string;
  /** Default: 60,000. */
  readonly limitMs?: number | undefined;
  /** Stops retrying. */
  readonly signal?: AbortSignal;
  /** Called with each error reply. */
  readonly onRefused?: (answer: string) => void;
}

/** Redis has refused for too long. */
export class RedisRefusedError extends QueueError {}

/**
 * Runs a Redis command, and retries while Redis replies that it cannot execute it at the moment: out of memory, disk
 * errors, loading, busy with a script, or a read-only replica. The client itself waits for lost connections. Throws a
 * RedisRefusedError if Redis refuses for too long, and any other error at once.
 * @example
 * await retryRedis(() => redis.set("key", "value"));
 */
export function retryRedis<T>(act: () => Promise<T>, options: RedisRetryOptions = {}): Promise<T> {
  const { limitMs = DEFAULT_TIMEOUT_MS, signal, onRefused } = options;
  let refusedSince: number | null = null;
  return retry(act, {
    signal,
    waitAfter: (error, { failed }) => {
      if (signal?.aborted === true || !isReplyError(error)) return null;
      refusedSince ??= performance.now();
      if (performance.now() - refusedSince >= limitMs) throw createRefusedError(error, options);
      onRefused?.(getReplyMessage(error));
      return Math.min(MIN_PAUSE_MS * 2 ** (failed - 1), MAX_PAUSE_MS);
    },
  });
}

function createRefusedError(
  cause: unknown,
  { limitMs = DEFAULT_TIMEOUT_MS, remedy = WORKER_REMEDY }: RedisRetryOptions,
): RedisRefusedError {
  return new RedisRefusedError(
    `Redis rejected requests for ${Math.round(limitMs / 1000)} s: ${getReplyMessage(cause)}. ${remedy}`,
    { cause },
  );
}

const WORKER_REMEDY = "Other workers take over the trials of this worker; fix Redis, then start it again.";

/** Checked by name, because the error may come from another copy of the client. */
function isReplyError(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError";
}

/** For an aborted transaction, the cause is in `previousErrors`. */
function getReplyMessage(error: unknown): string {
  const { previousErrors } = Object(error) as { previousErrors?: readonly unknown[] };
  return getErrorMessage(previousErrors?.[0] ?? error);
}
