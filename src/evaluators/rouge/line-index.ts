import type { Symbols } from "../bit-masks.js";

/** Finds the lines that have a word, each line at most once in a round. */
export class LineIndex {
  readonly #lines: readonly Symbols[];
  /** By symbol: which lines have it. */
  readonly #places: (number[] | undefined)[];
  /** By symbol: how many of those were looked at, and in which round. */
  readonly #looked: Int32Array;
  readonly #lookedIn: Int32Array;
  /** By line: the round in which it was given last. */
  readonly #givenIn: Int32Array;
  #round = 0;

  constructor(lines: readonly Symbols[], symbols: number) {
    this.#lines = differentLines(lines);
    this.#places = new Array<number[] | undefined>(symbols);
    this.#looked = new Int32Array(symbols);
    this.#lookedIn = new Int32Array(symbols);
    this.#givenIn = new Int32Array(this.#lines.length);
    for (const [number, line] of this.#lines.entries()) for (const symbol of line) this.#add(symbol, number);
  }

  /** Begins a round: every line may be given again. */
  startOver(): void {
    this.#round += 1;
  }

  /** A line that has the symbol and was not given in this round; null when there is none. */
  nextWith(symbol: number): Symbols | null {
    const places = this.#places[symbol];
    if (places === undefined) return null;
    if (this.#lookedIn[symbol] !== this.#round) this.#looked[symbol] = 0;
    this.#lookedIn[symbol] = this.#round;
    for (let at = this.#looked[symbol] ?? 0; at < places.length; at++) {
      const line = places[at] ?? 0;
      if (this.#givenIn[line] === this.#round) continue;
      this.#givenIn[line] = this.#round;
      this.#looked[symbol] = at + 1;
      return this.#lines[line] ?? null;
    }
    this.#looked[symbol] = places.length;
    return null;
  }

  #add(symbol: number, line: number): void {
    const places = this.#places[symbol];
    if (places === undefined) this.#places[symbol] = [line];
    else if (places.at(-1) !== line) places.push(line);
  }
}

/** Equal lines have the same words in common with any other; long ones first, because they are likely to have most. */
function differentLines(lines: readonly Symbols[]): Symbols[] {
  if (lines.length < 2) return [...lines];
  const different = new Map(lines.map((line) => [line.join(" "), line]));
  return [...different.values()].sort((a, b) => b.length - a.length);
}
