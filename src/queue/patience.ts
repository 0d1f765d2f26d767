import { messageOf, QueueError } from "../core/errors.js";
import { retry } from "../utils/retry.js";

export interface PatienceOptions {
  /** Aborted when nobody waits any more. */
  signal: AbortSignal;
  onNote: (note: string) => void;
  /** How long Redis may refuse before the run fails; a minute unless given. */
  patienceMs?: number;
}

const PATIENCE_MS = 60_000;
const PAUSE_MS = 1000;

/**
 * Asks again while Redis answers that it cannot just now: its memory is full, it writes to no disk, it reads its data or
 * is a replica until somebody sees to it. What Redis answered is said once.
 */
export class Patience {
  readonly #options: PatienceOptions;
  readonly #said = new Set<string>();

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  async with<T>(step: () => Promise<T>): Promise<T> {
    const { signal, patienceMs = PATIENCE_MS } = this.#options;
    const end = performance.now() + patienceMs;
    return retry(step, {
      signal,
      waitAfter: (error) => {
        if (signal.aborted || !isReply(error)) return null;
        if (performance.now() >= end) throw tooLong(error, patienceMs);
        this.#say(answerOf(error));
        return Math.min(PAUSE_MS, patienceMs / 10);
      },
    });
  }

  #say(answer: string): void {
    // Some answers hold figures that change.
    const [kind = ""] = answer.split(" ");
    if (this.#said.has(kind)) return;
    this.#said.add(kind);
    this.#options.onNote(`Redis refuses what the run asks of it, which is tried again: ${answer}`);
  }
}

function tooLong(cause: unknown, patienceMs: number): QueueError {
  return new QueueError(
    `Redis has refused for ${Math.round(patienceMs / 1000)} s what the run asks of it: ${answerOf(cause)}. Every trial recorded before is kept: see to Redis, then go on with --resume.`,
    { cause },
  );
}

/** By its name: whoever raises it may have a copy of the client of its own. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError";
}

/** What was wrong with a transaction stands beside the message that it was given up. */
function answerOf(error: unknown): string {
  const { previousErrors } = Object(error) as { previousErrors?: readonly unknown[] };
  return messageOf(previousErrors?.[0] ?? error);
}
