import { crc32 } from "node:zlib";
import { getErrorMessage, TrialError } from "../../core/index.js";

/** The content type of AWS event streams. */
export const EVENT_STREAM_TYPE = "application/vnd.amazon.eventstream";

/** Total length and length of the headers, four bytes each, and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** AWS allows messages of up to 24 MB with 128 KB of headers. */
const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;

export interface EventStreamOptions {
  /**
   * Receives one event as `{ TYPE: PAYLOAD }`, such as `{ messageStop: { stopReason: "end_turn" } }`. Exceptions have the
   * same form: `{ throttlingException: { message: "…" } }`. Return false to stop.
   */
  readonly onEvent: (event: Readonly<Record<string, unknown>>) => unknown;
  /** The sender, for messages. */
  readonly source: string;
}

/**
 * Reads the binary messages of an AWS event stream from the chunks of a body, however they are split. Throws a `TrialError`
 * if a checksum does not match or a payload is not JSON. An incomplete message at the end is not read.
 * @example
 * const events = new EventStreamReader({ onEvent: (event) => console.log(event), source: "the endpoint" });
 * await answer.read((chunk) => events.push(chunk));
 */
export class EventStreamReader {
  readonly #options: EventStreamOptions;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Length of the message that is being received; null until its prelude is complete. */
  #length: number | null = null;
  #isStopped = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** Reads one chunk; returns false after `onEvent` stopped. */
  push(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (!this.#isStopped) {
      this.#length ??= this.#bytes < PRELUDE_BYTES ? null : this.#readPrelude(this.#peek(PRELUDE_BYTES));
      if (this.#length === null || this.#bytes < this.#length) break;
      const message = this.#take(this.#length);
      this.#length = null;
      if (this.#options.onEvent(this.#readMessage(message)) === false) this.#isStopped = true;
    }
    return !this.#isStopped;
  }

  /** Joins the chunks only once a message is complete, so that a long one is not copied with every chunk. */
  #peek(length: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= length) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #take(length: number): Buffer {
    const all = this.#peek(length);
    this.#chunks[0] = all.subarray(length);
    this.#bytes -= length;
    return all.subarray(0, length);
  }

  #readPrelude(bytes: Buffer): number {
    const length = bytes.readUInt32BE(0);
    if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw this.#createError("its checksum does not match");
    if (length < PRELUDE_BYTES + CHECKSUM_BYTES || length > MAX_MESSAGE_BYTES)
      throw this.#createError(`its length is ${length} bytes`);
    return length;
  }

  #readMessage(message: Buffer): Record<string, unknown> {
    const end = message.length - CHECKSUM_BYTES;
    if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end))
      throw this.#createError("its checksum does not match");
    const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
    if (headersEnd > end) throw this.#createError("its headers are longer than the event");
    const headers = this.#readHeaders(message.subarray(PRELUDE_BYTES, headersEnd));
    const kind = headers.get(":message-type") ?? "";
    if (kind === "error")
      return { error: { type: headers.get(":error-code"), message: headers.get(":error-message") } };
    const type = headers.get(kind === "exception" ? ":exception-type" : ":event-type") ?? kind;
    return { [type]: this.#readPayload(message.toString("utf8", headersEnd, end)) };
  }

  #readPayload(text: string): unknown {
    if (text === "") return {};
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw this.#createError(`its payload is not JSON (${getErrorMessage(cause)})`);
    }
  }

  #readHeaders(bytes: Buffer): Map<string, string> {
    try {
      return readHeaderBlock(bytes);
    } catch (error) {
      if (error instanceof RangeError) throw this.#createError("its headers are incomplete");
      throw error;
    }
  }

  #createError(why: string): TrialError {
    return new TrialError("api_error", `${this.#options.source} sent a corrupted event: ${why}.`, {
      retry: { afterMs: null },
    });
  }
}

/** Sizes of the values without a length of their own, by type: two booleans, integers of 1 to 8 bytes, a time, a UUID. */
const FIXED_SIZES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

const STRING_TYPE = 7;

/** The headers with text; others are skipped. Throws a `RangeError` if the block ends within a header. */
function readHeaderBlock(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const type = bytes.readUInt8(nameEnd);
    const fixed = FIXED_SIZES[type];
    const start = nameEnd + (fixed === undefined ? 3 : 1);
    const end = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (end > bytes.length) throw new RangeError("The header is incomplete.");
    if (type === STRING_TYPE) headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", start, end));
    at = end;
  }
  return headers;
}
