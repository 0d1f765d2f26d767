const NEWLINE = 10;

/** Splits output into lines, holding at most `maxBytes` of an unfinished one. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: Buffer) => void;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #heldBytes = 0;
  #isOver = false;

  constructor({ maxBytes, onLine, onTooLong }: LineSplitterOptions) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1 && !this.#isOver; at = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, at));
      this.flush();
      start = at + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** Passes on the last line, which may lack its line feed. */
  flush(): void {
    if (this.#isOver || this.#parts.length === 0) return;
    const [only, ...more] = this.#parts;
    const line = more.length === 0 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#heldBytes = 0;
    this.#onLine(line);
  }

  /** Ignores everything from now on. */
  stop(): void {
    this.#isOver = true;
    this.#parts = [];
  }

  #hold(piece: Buffer): void {
    if (this.#isOver || piece.length === 0) return;
    this.#parts.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes <= this.#maxBytes) return;
    this.stop();
    this.#onTooLong();
  }
}

interface LineSplitterOptions {
  readonly maxBytes: number;
  readonly onLine: (line: Buffer) => void;
  /** Called once; nothing is read afterwards. */
  readonly onTooLong: () => void;
}
