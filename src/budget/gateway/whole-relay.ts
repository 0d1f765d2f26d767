import type { ServerResponse } from "node:http";
import type { RequestMeter } from "./request-meter.js";

/** A longer answer is passed on all the same, but not read. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface WholeRelayOptions {
  readonly client: ServerResponse;
  readonly meter: RequestMeter;
}

/** Carries an answer that is not a stream of events, and meters it once it is complete. */
export class WholeRelay {
  readonly #options: WholeRelayOptions;
  #copy: Buffer[] = [];
  #bytes = 0;

  constructor(options: WholeRelayOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    const { client } = this.#options;
    if (!client.destroyed) client.write(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_ANSWER_BYTES) this.#copy.push(chunk);
    else this.#copy = [];
  }

  end(): void {
    const { meter } = this.#options;
    try {
      if (this.#bytes > MAX_ANSWER_BYTES) meter.markUnreadable();
      else meter.readWhole(JSON.parse(Buffer.concat(this.#copy).toString("utf8")));
    } catch {
      meter.markUnreadable();
    }
    this.#copy = [];
  }
}
