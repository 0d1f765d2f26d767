import { messageOf, QueueError } from "../core/errors.js";
import { retry } from "../utils/retry.js";

/** How long Redis may refuse. */
const LIMIT_MS = 60_000;
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

export interface InsistOptions {
  /** What is to be done when Redis does not stop refusing. */
  readonly remedy?: string;
  /** Default: 60,000. */
  readonly limitMs?: number | undefined;
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
  /** Told each time what Redis answered. */
  readonly onRefused?: (answer: string) => void;
}

/** Redis has refused for too long. */
export class RefusalError extends QueueError {}

/**
 * Has Redis do something, and asks again while it answers that it cannot just now: its memory is full, it writes to no
 * disk, it reads its data, is busy with a script or is a replica until somebody sees to it. A connection that is lost is
 * waited for by the client. Throws a RefusalError when Redis refuses for too long, and whatever else went wrong at once.
 * @example
 * await insist(() => redis.set("key", "value"));
 */
export function insist<T>(act: () => Promise<T>, options: InsistOptions = {}): Promise<T> {
  const { limitMs = LIMIT_MS, signal, onRefused } = options;
  let refusedSince: number | null = null;
  return retry(act, {
    signal,
    waitAfter: (error, { failed }) => {
      if (signal?.aborted === true || !isReply(error)) return null;
      refusedSince ??= performance.now();
      if (performance.now() - refusedSince >= limitMs) throw refusalOf(error, options);
      onRefused?.(answerOf(error));
      return Math.min(MIN_PAUSE_MS * 2 ** (failed - 1), MAX_PAUSE_MS);
    },
  });
}

function refusalOf(cause: unknown, { limitMs = LIMIT_MS, remedy = WORKER_REMEDY }: InsistOptions): RefusalError {
  return new RefusalError(
    `Redis has refused for ${Math.round(limitMs / 1000)} s what is asked of it: ${answerOf(cause)}. ${remedy}`,
    { cause },
  );
}

const WORKER_REMEDY = "Others take over the trials of this worker: see to Redis, then start it again.";

/** By its name: whoever raises it may have a copy of the client of its own. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError";
}

/** What was wrong with a transaction stands beside the message that it was given up. */
function answerOf(error: unknown): string {
  const { previousErrors } = Object(error) as { previousErrors?: readonly unknown[] };
  return messageOf(previousErrors?.[0] ?? error);
}
