import type { Duplex } from "node:stream";

const NEWLINE = 10;
/** Nobody says more than a line or two before it is answered. */
const MOST_WAITING = 16;

/**
 * Lines of text to and from a boxed process. Ends at the first line that is longer than allowed. What nobody has asked
 * for stays with the process, which has to wait: it could fill our memory otherwise.
 */
export class LineChannel {
  readonly #stream: Duplex | null;
  readonly #maxBytes: number;
  readonly #lines: string[] = [];
  #parts: Buffer[] = [];
  #pendingBytes = 0;
  #isOver = false;
  #isReleased = false;
  #wake: (() => void) | null = null;

  /** Without a stream there are no lines. */
  constructor(stream: Duplex | null, maxBytes: number) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
    this.#isOver = stream === null;
    if (stream !== null) this.#listen(stream);
  }

  #listen(stream: Duplex): void {
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("close", () => this.#end());
    stream.on("end", () => this.#end());
    // A process that ends while it is written to is no error of ours: it shows as the end of the lines.
    stream.on("error", () => this.#end());
  }

  send(line: string): void {
    if (!this.#isOver) this.#stream?.write(`${line}\n`);
  }

  /** The process has ended: what it left behind is little, and the stream ends only when it is read. */
  release(): void {
    this.#isReleased = true;
    this.#stream?.resume();
  }

  /** The next line; null when no more will come. */
  async next(): Promise<string | null> {
    while (this.#lines.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const line = this.#lines.shift() ?? null;
    if (this.#lines.length < MOST_WAITING) this.#stream?.resume();
    return line;
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#parts.push(chunk.subarray(start, at));
      this.#lines.push(Buffer.concat(this.#parts).toString("utf8"));
      this.#parts = [];
      this.#pendingBytes = 0;
      start = at + 1;
    }
    this.#keep(chunk.subarray(start));
    if (this.#lines.length >= MOST_WAITING && !this.#isReleased) this.#stream?.pause();
    this.#notify();
  }

  #keep(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#parts.push(rest);
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > this.#maxBytes) this.#stream?.destroy();
  }

  #end(): void {
    this.#isOver = true;
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

/** The list that a line holds; an empty one when it holds none, as a line that somebody made up. */
export function listIn(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? (value as unknown[]) : [];
  } catch {
    return [];
  }
}
