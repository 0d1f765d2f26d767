import type { ServerResponse } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { TransportAnswer } from "../../models/index.js";
import { buildResponseHeaders } from "./request.js";
import { isUsageOnly, type RequestMeter } from "./request-meter.js";
import type { KeyMask } from "./secrets.js";

export interface EventRelayOptions {
  readonly client: ServerResponse;
  readonly meter: RequestMeter;
  /** Hides the usage-only event from a client that did not request usage. */
  readonly hidesUsage: boolean;
}

/**
 * Forwards a stream of events and meters them. Bytes are forwarded as they arrive; only where an event may have to be
 * hidden are they held until it is complete.
 */
export class EventRelay {
  readonly #options: EventRelayOptions;
  readonly #splitter = new EventSplitter();
  #isReading = false;
  #nextNumber = 0;
  #isStopped = false;
  /** True when the client's stream ends with the event that was being read when the relay stopped. */
  #endsWithEvent = false;

  constructor(options: EventRelayOptions) {
    this.#options = options;
  }

  /** True where another event can be inserted into the client's stream. */
  get isBetween(): boolean {
    return this.#options.hidesUsage || this.#endsWithEvent || this.#splitter.isBetween;
  }

  /** True while the meter reads an event that the client has not received yet. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** The number of the next event, in dialects that number them. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Forwards nothing after the event that is being read. */
  stop(): void {
    this.#isStopped = true;
    this.#endsWithEvent = this.#isReading;
  }

  /** Returns false once the relay was stopped; everything up to that event has been written. */
  push(chunk: Buffer): boolean {
    const sentBefore = this.#options.hidesUsage ? 0 : this.#splitter.heldBytes;
    const { kept, readBytes } = this.#readAll(this.#splitter.push(chunk));
    if (this.#options.hidesUsage) this.#write(Buffer.concat(kept));
    else this.#write(this.#isStopped ? chunk.subarray(0, readBytes - sentBefore) : chunk);
    return !this.#isStopped;
  }

  /** Reads a last event without its closing empty line. */
  end(): void {
    const last = this.#splitter.end();
    if (last === null) return;
    const { kept } = this.#readAll([last]);
    if (this.#options.hidesUsage) this.#write(Buffer.concat(kept));
  }

  #readAll(stretches: readonly EventStretch[]): { kept: Buffer[]; readBytes: number } {
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

  /** Passes the event to the meter; null if it is not an event. */
  #read({ bytes, isWhole }: EventStretch): unknown {
    const { meter } = this.#options;
    if (!isWhole) meter.markUnreadable();
    const data = isWhole ? extractEventData(bytes) : null;
    if (data === null || data === "") return null;
    const event = parseEventData(data);
    this.#nextNumber = readSequenceNumber(event, this.#nextNumber - 1) + 1;
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

function readSequenceNumber(event: unknown, last: number): number {
  const { sequence_number: number } = (event ?? {}) as { sequence_number?: unknown };
  return Number.isSafeInteger(number) ? Number(number) : last;
}

/** Data that is not JSON is returned as text: some dialects mark the end of a stream with a word. */
function parseEventData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

/** A longer answer is forwarded but not read. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface WholeRelayOptions {
  readonly client: ServerResponse;
  readonly meter: RequestMeter;
}

/** Forwards an answer that is not an event stream, and meters it once it is complete. */
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

export interface PipeResponseOptions {
  readonly answer: TransportAnswer;
  readonly client: ServerResponse;
  /** Receives each chunk and writes the client's part of it. */
  readonly onChunk: (chunk: Buffer) => void;
  readonly onEnd: () => void;
  /** The upstream closed the connection early. */
  readonly onBroken: () => void;
  /** Changes the answer before anything reads it. */
  readonly through?: Duplex | null;
}

/** Pipes the body of an answer, no faster than the client reads it. */
export function pipeResponse({ answer, client, onChunk, onEnd, onBroken, through }: PipeResponseOptions): void {
  const body = decompressResponse(answer);
  // The error is reported on the stream that is read.
  const source = through == null ? body : pipeline(body, through, () => {});
  source.on("data", (chunk: Buffer) => {
    onChunk(chunk);
    if (!client.writableNeedDrain || client.destroyed) return;
    source.pause();
    client.once("drain", () => source.resume());
  });
  source.on("end", onEnd);
  source.on("error", onBroken);
}

const DECOMPRESSORS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Some servers compress answers although they were asked not to; compressed answers cannot be metered. */
function decompressResponse(answer: TransportAnswer): Readable {
  const unpacker = DECOMPRESSORS[answer.headers["content-encoding"] ?? ""];
  // The error is reported on the stream that is read.
  return unpacker === undefined ? answer.body : pipeline(answer.body, unpacker(), () => {});
}

/** How the client's response differs from the upstream's. */
export interface ResponseChanges {
  /** True when the bytes will differ. */
  readonly isChanged?: boolean;
  readonly extraHeaders?: readonly string[];
  /** Masks a key. */
  readonly mask?: KeyMask;
}

/** Writes the status and headers of the upstream's response to the client. */
export function writeResponseHead(
  client: ServerResponse,
  answer: TransportAnswer,
  { isChanged = false, extraHeaders = [], mask }: ResponseChanges = {},
): void {
  const isPacked = answer.headers["content-encoding"] !== undefined && canDecompress(answer);
  const dropped = [...(isPacked ? ["content-encoding"] : []), ...(isPacked || isChanged ? ["content-length"] : [])];
  const headers = buildResponseHeaders(answer, dropped);
  client.writeHead(answer.status, answer.statusText, [
    ...(mask === undefined ? headers : headers.map((text) => mask.maskText(text))),
    ...extraHeaders,
  ]);
}

function canDecompress({ headers }: TransportAnswer): boolean {
  return Object.hasOwn(DECOMPRESSORS, headers["content-encoding"] ?? "");
}

/** A larger event is forwarded in pieces and not read; usage events are far smaller. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

/** Part of a stream of server-sent events. */
export interface EventStretch {
  /** The original bytes, including the closing empty line. */
  readonly bytes: Buffer;
  /** True for one complete event; false for a piece of an event that was too large to hold. */
  readonly isWhole: boolean;
}

/**
 * Splits the bytes of a stream into events without changing them: all stretches together are what was pushed.
 * @example
 * new EventSplitter().push(Buffer.from("data: 1\n\ndata: 2")); // one stretch; the rest is held until it is complete
 */
export class EventSplitter {
  readonly #maxBytes: number;
  /** The incomplete event. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isTooLarge = false;
  /** Length of the incomplete line, and whether it ends with a carriage return. */
  #lineBytes = 0;
  #endsInCr = false;

  constructor(maxBytes = MAX_EVENT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** True between two events, where another can be inserted. */
  get isBetween(): boolean {
    return this.#heldBytes === 0 && !this.#isTooLarge;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  push(chunk: Buffer): EventStretch[] {
    const stretches: EventStretch[] = [];
    let eventStart = 0;
    let lineStart = 0;
    for (let feed = chunk.indexOf(LF); feed !== -1; feed = chunk.indexOf(LF, lineStart)) {
      const isEmptyLine = this.#isEmptyLine(chunk, lineStart, feed);
      lineStart = feed + 1;
      this.#lineBytes = 0;
      if (!isEmptyLine) continue;
      stretches.push(this.#complete(chunk.subarray(eventStart, lineStart)));
      eventStart = lineStart;
    }
    this.#beginLine(chunk, lineStart);
    this.#hold(chunk.subarray(eventStart), stretches);
    return stretches;
  }

  /** The held rest when the stream has ended: an event without its closing empty line, which some servers omit. */
  end(): EventStretch | null {
    return this.#heldBytes === 0 ? null : this.#complete(NOTHING);
  }

  #isEmptyLine(chunk: Buffer, start: number, feed: number): boolean {
    const length = this.#lineBytes + feed - start;
    if (length === 0) return true;
    return length === 1 && (feed > start ? chunk[start] === CR : this.#endsInCr);
  }

  #beginLine(chunk: Buffer, start: number): void {
    if (start === chunk.length) return;
    this.#lineBytes += chunk.length - start;
    this.#endsInCr = chunk[chunk.length - 1] === CR;
  }

  #complete(last: Buffer): EventStretch {
    const bytes = this.#heldBytes === 0 ? last : Buffer.concat([...this.#held, last]);
    const isWhole = !this.#isTooLarge;
    this.#release();
    this.#isTooLarge = false;
    return { bytes, isWhole };
  }

  #hold(rest: Buffer, stretches: EventStretch[]): void {
    if (rest.length === 0) return;
    this.#held.push(rest);
    this.#heldBytes += rest.length;
    if (!this.#isTooLarge && this.#heldBytes <= this.#maxBytes) return;
    this.#isTooLarge = true;
    stretches.push({ bytes: Buffer.concat(this.#held), isWhole: false });
    this.#release();
  }

  #release(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}

/** Extracts the `data` of one event, its lines joined; null for a comment or an empty event. */
export function extractEventData(event: Buffer): string | null {
  let data: string | null = null;
  for (const line of event.toString("utf8").split("\n")) {
    if (!line.startsWith("data:")) continue;
    const value = line.slice(line.charAt(5) === " " ? 6 : 5, line.endsWith("\r") ? -1 : undefined);
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
}
