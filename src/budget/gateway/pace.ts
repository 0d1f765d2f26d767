/** When a request came, and when the words of its streamed answer did. All that comes in one chunk comes at one time. */
export class Pace {
  readonly #now: () => number;
  readonly #arrivedAt: number;
  /** Null until the first chunk of a stream. */
  #chunkAt: number | null = null;
  #firstAt: number | null = null;
  #lastAt = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#arrivedAt = now();
  }

  /** A chunk of a stream is there; what is in it will be read now. */
  noteChunk(): void {
    this.#chunkAt = this.#now();
  }

  /** Words of the model were read: text, thoughts, or arguments of a call. */
  noteWords(): void {
    if (this.#chunkAt === null) return;
    this.#firstAt ??= this.#chunkAt;
    this.#lastAt = this.#chunkAt;
  }

  get elapsedMs(): number {
    return this.#now() - this.#arrivedAt;
  }

  /** From the request to the first words; null when none were streamed. */
  get ttftMs(): number | null {
    return this.#firstAt === null ? null : this.#firstAt - this.#arrivedAt;
  }

  /** From the first words to the last; null when they came in one piece, which says nothing about a pace. */
  get generationMs(): number | null {
    return this.#firstAt === null || this.#lastAt === this.#firstAt ? null : this.#lastAt - this.#firstAt;
  }
}
