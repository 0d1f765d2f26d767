import type { RateLimit } from "./script.js";

/** Why a request was turned away, and when it may come again. */
export interface Refusal {
  readonly by: "rateLimit" | "maxConcurrent";
  readonly retryAfter: number | "http-date" | null;
}

/** Turns away what comes too fast or too much at a time. */
export class Admission {
  readonly #limit: RateLimit | null;
  readonly #maxOpen: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;
  #open = 0;

  constructor(limits: { rateLimit?: RateLimit; maxConcurrent?: number }, now: () => number) {
    this.#limit = limits.rateLimit ?? null;
    this.#maxOpen = limits.maxConcurrent ?? Number.POSITIVE_INFINITY;
    this.#now = now;
    this.#tokens = this.#limit?.requests ?? 0;
    this.#filledAt = now();
  }

  /** Null when the request is let in; it must be released in the end. */
  enter(): Refusal | null {
    if (this.#open >= this.#maxOpen) return { by: "maxConcurrent", retryAfter: null };
    const refusal = this.#limit === null ? null : this.#take(this.#limit);
    if (refusal === null) this.#open += 1;
    return refusal;
  }

  release(): void {
    this.#open -= 1;
  }

  #take({ requests, perMs, retryAfter }: RateLimit): Refusal | null {
    const now = this.#now();
    this.#tokens = Math.min(requests, this.#tokens + ((now - this.#filledAt) * requests) / perMs);
    this.#filledAt = now;
    if (this.#tokens < 1) {
      const waitMs = ((1 - this.#tokens) * perMs) / requests;
      return { by: "rateLimit", retryAfter: retryAfter ?? Math.ceil(waitMs / 1000) };
    }
    this.#tokens -= 1;
    return null;
  }
}
