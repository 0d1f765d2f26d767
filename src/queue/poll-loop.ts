export interface PollOptions {
  /** Asks once. Says how long to wait at least before it is asked again; null when there is nothing left to ask for. */
  ask: () => Promise<number | null>;
  /** Pauses between two questions are at least this long. */
  shortestMs: number;
  /** And at most this long, unless more was asked for. */
  longestMs: number;
}

/**
 * Asks again and again for as long as there is something to ask for, one question at a time: at once when it is woken,
 * else after pauses that grow. They are drawn by chance, so that processes do not ask in step.
 */
export class PollLoop {
  readonly #options: PollOptions;
  /** The longest that the next pause may be. */
  #mostMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isWoken = false;
  #isStarted = false;

  constructor(options: PollOptions) {
    this.#options = options;
    this.#mostMs = 2 * options.shortestMs;
  }

  /** Asks after a pause, unless it is about to anyway. */
  start(): void {
    // The question on its way may have been asked without it.
    if (this.#isAsking) this.#isStarted = true;
    else if (this.#timer === undefined) this.#askAfter(0);
  }

  /** Asks at once, or right after the question that is on its way; pauses are short again. */
  wake(): void {
    this.#mostMs = 2 * this.#options.shortestMs;
    this.#isWoken = true;
    if (!this.#isAsking) void this.#go();
  }

  /** Asks no more until it is woken. */
  rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWoken = false;
    this.#isStarted = false;
  }

  async #go(): Promise<void> {
    this.rest();
    this.#isAsking = true;
    let leastMs: number | null;
    do {
      this.#isWoken = false;
      this.#isStarted = false;
      leastMs = await this.#options.ask();
    } while (this.#isWoken);
    this.#isAsking = false;
    if (leastMs !== null || this.#isStarted) this.#askAfter(leastMs ?? 0);
  }

  #askAfter(leastMs: number): void {
    const { shortestMs, longestMs } = this.#options;
    const pause = shortestMs + Math.random() * (this.#mostMs - shortestMs);
    this.#mostMs = Math.min(longestMs, this.#mostMs * 2);
    this.#timer = setTimeout(() => void this.#go(), Math.max(leastMs, pause));
  }
}
