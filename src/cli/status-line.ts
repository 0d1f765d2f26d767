export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

/** Says how far something is: one line that is redrawn on a terminal, a plain line now and then elsewhere. */
export class StatusLine {
  readonly #stream: ProgressStream;
  readonly #every: number;
  #last = 0;
  #drawn = false;

  constructor(stream: ProgressStream, { plainLineMs = PLAIN_LINE_MS } = {}) {
    this.#stream = stream;
    this.#every = stream.isTTY === true ? REDRAW_MS : plainLineMs;
  }

  /** Shows the text, if the last one is old enough by now. */
  show(text: () => string, elapsedMs: number): void {
    if (elapsedMs - this.#last < this.#every) return;
    this.#last = elapsedMs;
    if (this.#stream.isTTY !== true) {
      this.#stream.write(`${text()}\n`);
      return;
    }
    // A terminal that does not know its width says 0.
    const width = Math.max(20, (this.#stream.columns || 80) - 1);
    this.#stream.write(`\r\u001b[2K${text().slice(0, width)}`);
    this.#drawn = true;
  }

  /** Clears the line, so that what comes next starts on a clean one. */
  clear(): void {
    if (this.#drawn) this.#stream.write("\r\u001b[2K");
    this.#drawn = false;
  }
}
