import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { answerHeaders } from "./request.js";
import { isUsageOnly, type RequestMeter } from "./request-meter.js";
import type { KeyMask } from "./secrets.js";

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

/** What is to happen with an answer on its way to the client. */
export interface Carrying {
  readonly answer: IncomingMessage;
  readonly client: ServerResponse;
  /** Takes each chunk as it comes, and writes what the client is to get of it. */
  readonly onChunk: (chunk: Buffer) => void;
  /** Everything has come. */
  readonly onEnd: () => void;
  /** The upstream broke off in the middle. */
  readonly onBroken: () => void;
}

/** Carries the body of an answer, never faster than the client takes it. */
export function carry({ answer, client, onChunk, onEnd, onBroken }: Carrying): void {
  const source = unpacked(answer);
  source.on("data", (chunk: Buffer) => {
    onChunk(chunk);
    if (!client.writableNeedDrain || client.destroyed) return;
    source.pause();
    client.once("drain", () => source.resume());
  });
  source.on("end", onEnd);
  source.on("error", onBroken);
}

const UNPACKERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Some servers pack their answers though they were asked not to; packed ones cannot be metered. */
function unpacked(answer: IncomingMessage): Readable {
  const unpacker = UNPACKERS[answer.headers["content-encoding"] ?? ""];
  // The error arrives at the stream that is read.
  return unpacker === undefined ? answer : pipeline(answer, unpacker(), () => {});
}

/** How the client's answer differs from the upstream's. */
export interface Differences {
  /** It will not have the same bytes. */
  readonly isChanged?: boolean;
  readonly extraHeaders?: readonly string[];
  /** Stars out a key. */
  readonly mask?: KeyMask;
}

/** Begins the client's answer like the upstream's. */
export function beginAnswer(
  client: ServerResponse,
  answer: IncomingMessage,
  { isChanged = false, extraHeaders = [], mask }: Differences = {},
): void {
  const isPacked = answer.headers["content-encoding"] !== undefined && unpackable(answer);
  const dropped = [...(isPacked ? ["content-encoding"] : []), ...(isPacked || isChanged ? ["content-length"] : [])];
  const headers = answerHeaders(answer, dropped);
  client.writeHead(answer.statusCode ?? 502, answer.statusMessage, [
    ...(mask === undefined ? headers : headers.map((text) => mask.text(text))),
    ...extraHeaders,
  ]);
}

function unpackable({ headers }: IncomingMessage): boolean {
  return Object.hasOwn(UNPACKERS, headers["content-encoding"] ?? "");
}

/** An event larger than this is passed on in pieces and not read: nothing that tells usage is near it. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

/** A stretch of a stream of server-sent events. */
export interface Stretch {
  /** The bytes as they came, the closing empty line included. */
  readonly bytes: Buffer;
  /** True for one event from its first to its last byte; false for a piece of one that was too large to hold. */
  readonly isWhole: boolean;
}

/**
 * Finds where events end in the bytes of a stream, and changes none of them: all stretches together are what was pushed.
 * @example
 * new EventSplitter().push(Buffer.from("data: 1\n\ndata: 2")); // one stretch; the rest is held until it is complete
 */
export class EventSplitter {
  readonly #maxBytes: number;
  /** Of the event that is not complete yet. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isTooLarge = false;
  /** Of the line that is not complete yet: its length so far, and whether it ends in a carriage return. */
  #lineBytes = 0;
  #endsInCr = false;

  constructor(maxBytes = MAX_EVENT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** True between two events: the only place where another may be put in. */
  get isBetween(): boolean {
    return this.#heldBytes === 0 && !this.#isTooLarge;
  }

  /** How many bytes wait for the rest of their event. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  push(chunk: Buffer): Stretch[] {
    const stretches: Stretch[] = [];
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

  /** What is held when the stream has ended: an event without its closing empty line, which some servers leave out. */
  end(): Stretch | null {
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

  #complete(last: Buffer): Stretch {
    const bytes = this.#heldBytes === 0 ? last : Buffer.concat([...this.#held, last]);
    const isWhole = !this.#isTooLarge;
    this.#release();
    this.#isTooLarge = false;
    return { bytes, isWhole };
  }

  #hold(rest: Buffer, stretches: Stretch[]): void {
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

/** The `data` of one event, its lines joined; null for a comment or an empty event. */
export function dataOf(event: Buffer): string | null {
  let data: string | null = null;
  for (const line of event.toString("utf8").split("\n")) {
    if (!line.startsWith("data:")) continue;
    const value = line.slice(line.charAt(5) === " " ? 6 : 5, line.endsWith("\r") ? -1 : undefined);
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
}
