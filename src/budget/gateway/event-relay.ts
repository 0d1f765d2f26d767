import type { ServerResponse } from "node:http";
import { isUsageOnly } from "./chat-usage.js";
import { dataOf, EventSplitter, type Stretch } from "./event-splitter.js";
import type { RequestMeter } from "./request-meter.js";

export interface EventRelayOptions {
  readonly client: ServerResponse;
  readonly meter: RequestMeter;
  /** Keeps the event that holds nothing but usage from a client that did not ask for it. */
  readonly hidesUsage: boolean;
}

/**
 * Carries a stream of events and meters them. Bytes are passed on as they come; only where an event may have to be hidden
 * are they held until it is complete, which its reader would have to wait for as well.
 */
export class EventRelay {
  readonly #options: EventRelayOptions;
  readonly #splitter = new EventSplitter();
  #isReading = false;
  #nextNumber = 0;
  #isStopped = false;
  /** The client's stream ends with the event that was read when the relay was stopped. */
  #endsWithEvent = false;

  constructor(options: EventRelayOptions) {
    this.#options = options;
  }

  /** True where another event can be put into the client's stream. */
  get isBetween(): boolean {
    return this.#options.hidesUsage || this.#endsWithEvent || this.#splitter.isBetween;
  }

  /** True while an event is with the meter: the client has not got it yet. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** The number of the next event, where a dialect numbers them. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Passes on nothing after the event that is being read. */
  stop(): void {
    this.#isStopped = true;
    this.#endsWithEvent = this.#isReading;
  }

  /** False once the relay was stopped: everything up to the event that did it is written. */
  push(chunk: Buffer): boolean {
    const sentBefore = this.#options.hidesUsage ? 0 : this.#splitter.heldBytes;
    const { kept, readBytes } = this.#readAll(this.#splitter.push(chunk));
    if (this.#options.hidesUsage) this.#write(Buffer.concat(kept));
    else this.#write(this.#isStopped ? chunk.subarray(0, readBytes - sentBefore) : chunk);
    return !this.#isStopped;
  }

  /** Takes in an event whose closing empty line is missing. */
  end(): void {
    const last = this.#splitter.end();
    if (last === null) return;
    const { kept } = this.#readAll([last]);
    if (this.#options.hidesUsage) this.#write(Buffer.concat(kept));
  }

  #readAll(stretches: readonly Stretch[]): { kept: Buffer[]; readBytes: number } {
    const kept: Buffer[] = [];
    let readBytes = 0;
    this.#isReading = true;
    for (const stretch of stretches) {
      if (this.#isStopped) break;
      readBytes += stretch.bytes.length;
      if (!this.#isHidden(this.#read(stretch))) kept.push(stretch.bytes);
    }
    this.#isReading = false;
    return { kept, readBytes };
  }

  /** Gives the event to the meter; null for what is none. */
  #read({ bytes, isWhole }: Stretch): unknown {
    const { meter } = this.#options;
    if (!isWhole) meter.markUnreadable();
    const data = isWhole ? dataOf(bytes) : null;
    if (data === null || data === "") return null;
    const event = parsed(data);
    this.#nextNumber = numberOf(event, this.#nextNumber - 1) + 1;
    meter.readEvent(event);
    return event;
  }

  #isHidden(event: unknown): boolean {
    return this.#options.hidesUsage && isUsageOnly(event);
  }

  #write(bytes: Buffer): void {
    const { client } = this.#options;
    if (bytes.length > 0 && !client.destroyed) client.write(bytes);
  }
}

function numberOf(event: unknown, last: number): number {
  const { sequence_number: number } = (event ?? {}) as { sequence_number?: unknown };
  return Number.isSafeInteger(number) ? Number(number) : last;
}

/** Data that is no JSON is handed over as it is: the end of a stream is a word in some dialects. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
