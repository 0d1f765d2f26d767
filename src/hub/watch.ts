import { silenceError } from "./connection-error.js";
import type { HubError } from "./errors.js";

interface WatchOptions {
  readonly idleMs: number;
  readonly signal: AbortSignal | undefined;
  readonly url: URL;
}

/** Ends a request on which nothing comes for too long, or that is no longer wanted. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #options: WatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #silence: HubError | null = null;

  constructor(options: WatchOptions) {
    this.#options = options;
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", this.#abort);
    this.resume();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** While the reader is busy with what came, silence is not the server's. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    const { idleMs, url } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#silence = silenceError(url, idleMs);
      this.#controller.abort();
    }, idleMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#abort);
  }

  /** Why it was ended from here, if it was. */
  reason(): Error | null {
    const { signal } = this.#options;
    if (signal?.aborted === true) return signal.reason instanceof Error ? signal.reason : new Error("It was stopped.");
    return this.#silence;
  }

  readonly #abort = (): void => this.#controller.abort();
}
