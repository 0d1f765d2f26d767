export interface PollOptions {
  /** Polls once. Returns the minimum wait before the next poll; null if there is nothing left to poll for. */
  ask: () => Promise<number | null>;
  /** Minimum pause between polls. */
  shortestMs: number;
  /** Maximum pause, unless `ask` returns a longer one. */
  longestMs: number;
}

/**
 * Polls while there is something to poll for, one request at a time: at once when woken, otherwise after growing pauses.
 * Pauses are random, so that processes do not poll in step.
 */
export class PollLoop {
  readonly #options: PollOptions;
  /** Upper bound of the next pause. */
  #mostMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isWoken = false;
  #isStarted = false;

  constructor(options: PollOptions) {
    this.#options = options;
    this.#mostMs = 2 * options.shortestMs;
  }

  /** Polls after a pause, unless a poll is already scheduled. */
  start(): void {
    // The running poll may have missed it.
    if (this.#isAsking) this.#isStarted = true;
    else if (this.#timer === undefined) this.#schedulePoll(0);
  }

  /** Polls at once, or right after the running poll, and resets the pauses. */
  wake(): void {
    this.#mostMs = 2 * this.#options.shortestMs;
    this.#isWoken = true;
    if (!this.#isAsking) void this.#poll();
  }

  /** Stops polling until woken. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWoken = false;
    this.#isStarted = false;
  }

  async #poll(): Promise<void> {
    this.stop();
    this.#isAsking = true;
    let leastMs: number | null;
    do {
      this.#isWoken = false;
      this.#isStarted = false;
      leastMs = await this.#options.ask();
    } while (this.#isWoken);
    this.#isAsking = false;
    if (leastMs !== null || this.#isStarted) this.#schedulePoll(leastMs ?? 0);
  }

  #schedulePoll(leastMs: number): void {
    const { shortestMs, longestMs } = this.#options;
    const pause = shortestMs + Math.random() * (this.#mostMs - shortestMs);
    this.#mostMs = Math.min(longestMs, this.#mostMs * 2);
    this.#timer = setTimeout(() => void this.#poll(), Math.max(leastMs, pause));
  }
}
