import type { Duplex } from "node:stream";

const NEWLINE = 10;
/** Protocols on the channel send at most a line or two before a reply. */
const MAX_QUEUED_LINES = 16;

/**
 * Exchanges lines of text with a sandboxed process. Closes at the first line that is too long. Lines that were not requested
 * yet stay in the pipe, so that the process cannot fill our memory.
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

  /** Null for a process without a channel. */
  constructor(stream: Duplex | null, maxBytes: number) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
    this.#isOver = stream === null;
    if (stream !== null) this.#readLines(stream);
  }

  #readLines(stream: Duplex): void {
    stream.on("data", (chunk: Buffer) => this.#append(chunk));
    stream.on("close", () => this.#end());
    stream.on("end", () => this.#end());
    // A process may end while it is written to; that appears as the end of the lines.
    stream.on("error", () => this.#end());
  }

  send(line: string): void {
    if (!this.#isOver) this.#stream?.write(`${line}\n`);
  }

  /** Call when the process has ended. Little is left to read, and the stream ends only when it is read. */
  release(): void {
    this.#isReleased = true;
    this.#stream?.resume();
  }

  /** The next line; null at the end. */
  async next(): Promise<string | null> {
    while (this.#lines.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const line = this.#lines.shift() ?? null;
    if (this.#lines.length < MAX_QUEUED_LINES) this.#stream?.resume();
    return line;
  }

  #append(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#parts.push(chunk.subarray(start, at));
      this.#lines.push(Buffer.concat(this.#parts).toString("utf8"));
      this.#parts = [];
      this.#pendingBytes = 0;
      start = at + 1;
    }
    this.#holdRest(chunk.subarray(start));
    if (this.#lines.length >= MAX_QUEUED_LINES && !this.#isReleased) this.#stream?.pause();
    this.#notify();
  }

  #holdRest(rest: Buffer): void {
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

/** Parses a JSON list; returns an empty list when the line is not one. */
export function parseLineList(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? (value as unknown[]) : [];
  } catch {
    return [];
  }
}
