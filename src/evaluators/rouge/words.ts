import type { Symbols } from "./lcs.js";
import { porterStem } from "./porter.js";

/** Shorter words have no suffix worth taking off. */
const LONGEST_WITHOUT_STEM = 3;

/** The words of a text, line by line, as numbers: equal words have equal numbers. */
export interface NumberedText {
  /** One for every line that has a word. */
  readonly lines: readonly Symbols[];
  /** All lines, one after the other. */
  readonly all: Symbols;
}

/** Splits texts into words as Google's ROUGE does, and numbers the words it meets. */
export class WordNumbers {
  readonly #numbers = new Map<string, number>();
  /** Numbers by stem: words with the same stem are one. */
  readonly #stems: Map<string, number> | null;
  #size = 0;

  constructor(options: { stem: boolean }) {
    this.#stems = options.stem ? new Map() : null;
  }

  /** How many different words there are so far. */
  get size(): number {
    return this.#size;
  }

  number(text: string): NumberedText {
    const tokens = text.toLowerCase().match(/[a-z0-9]+|\n/g) ?? [];
    const numbers = new Int32Array(tokens.length);
    const lines: Symbols[] = [];
    let start = 0;
    let end = 0;
    for (const token of tokens) {
      if (token !== "\n") numbers[end++] = this.#numberOf(token);
      else if (end > start) {
        lines.push(numbers.subarray(start, end));
        start = end;
      }
    }
    if (end > start) lines.push(numbers.subarray(start, end));
    return { lines, all: numbers.subarray(0, end) };
  }

  #numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#stems === null ? this.#size++ : this.#numberOfStem(word, this.#stems);
    this.#numbers.set(word, number);
    return number;
  }

  #numberOfStem(word: string, stems: Map<string, number>): number {
    const stem = word.length > LONGEST_WITHOUT_STEM ? porterStem(word) : word;
    const known = stems.get(stem);
    if (known !== undefined) return known;
    stems.set(stem, this.#size);
    return this.#size++;
  }
}
