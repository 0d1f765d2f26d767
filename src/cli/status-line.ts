export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

/** Shows progress: one line that is redrawn on a terminal, otherwise a plain line from time to time. */
export class StatusLine {
  readonly #stream: ProgressStream;
  readonly #every: number;
  #last = 0;
  #drawn = false;

  constructor(stream: ProgressStream, { plainLineMs = PLAIN_LINE_MS } = {}) {
    this.#stream = stream;
    this.#every = stream.isTTY === true ? REDRAW_MS : plainLineMs;
  }

  /** Does nothing if the last update was too recent. */
  show(text: () => string, elapsedMs: number): void {
    if (elapsedMs - this.#last < this.#every) return;
    this.#last = elapsedMs;
    if (this.#stream.isTTY !== true) {
      this.#stream.write(`${text()}\n`);
      return;
    }
    // A terminal of unknown width reports 0.
    const width = Math.max(20, (this.#stream.columns || 80) - 1);
    this.#stream.write(`\r\u001b[2K${text().slice(0, width)}`);
    this.#drawn = true;
  }

  clear(): void {
    if (this.#drawn) this.#stream.write("\r\u001b[2K");
    this.#drawn = false;
  }
}
