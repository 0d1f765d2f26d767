import type { Delivery, Part } from "./delivery.js";
import type { Exchange } from "./exchange.js";

/** How fast an answer is sent. */
export interface Pace {
  /** Null for all at once. */
  readonly tokensPerSec: number | null;
  /** Sends byte by byte with this pause in between. */
  readonly dripMs: number | null;
  /** Told how many tokens were sent so far. */
  readonly onSent: (tokens: number) => void;
}

/** Sends a delivery part by part, each one when a model of this pace would have it ready. */
export function deliver(exchange: Exchange, delivery: Delivery, pace: Pace): void {
  const { contentType, contentLength } = delivery;
  exchange.head(200, {
    "content-type": contentType,
    "cache-control": "no-cache",
    ...(contentLength !== undefined && { "content-length": contentLength }),
  });
  exchange.response.flushHeaders();
  new Courier(exchange, delivery, pace).run();
}

class Courier {
  readonly #exchange: Exchange;
  readonly #parts: Iterator<Part>;
  readonly #ending: Delivery["ending"];
  readonly #pace: Pace;
  readonly #start = performance.now();

  constructor(exchange: Exchange, { parts, ending }: Delivery, pace: Pace) {
    this.#exchange = exchange;
    this.#parts = pace.dripMs === null ? parts[Symbol.iterator]() : bytesOf(parts);
    this.#ending = ending;
    this.#pace = pace;
  }

  readonly run = (): void => {
    for (let next = this.#parts.next(); next.done !== true; next = this.#parts.next()) {
      const part = next.value;
      const wait = this.#waitMs(part);
      if (wait >= 1) {
        this.#exchange.later(wait, () => {
          if (this.#write(part)) this.run();
        });
        return;
      }
      if (!this.#write(part)) return;
    }
    if (this.#ending === "end") this.#exchange.end();
    if (this.#ending === "destroy") this.#exchange.breakOff();
  };

  /** Measured from the start, so that late timers do not add up. */
  #waitMs({ before }: Part): number {
    const { tokensPerSec, dripMs } = this.#pace;
    if (dripMs !== null) return dripMs;
    return tokensPerSec === null ? 0 : (before * 1000) / tokensPerSec - (performance.now() - this.#start);
  }

  /** False when the client takes it in slower than it comes: the rest follows by itself. */
  #write({ data, sent }: Part): boolean {
    this.#pace.onSent(sent);
    if (data.length === 0 || this.#exchange.response.write(data)) return true;
    this.#exchange.response.once("drain", this.run);
    return false;
  }
}

function* bytesOf(parts: Iterable<Part>): Generator<Part> {
  for (const { data, ...counts } of parts) {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    for (let at = 0; at < bytes.length; at++) yield { data: bytes.subarray(at, at + 1), ...counts };
  }
}
