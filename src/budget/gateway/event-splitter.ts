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
