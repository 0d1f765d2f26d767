import { type ItemScanner, itemText, type JsonItem } from "./item-scanner.js";

const LF = 10;

/** Finds the items of a file that has one on each line; blank lines are none. */
export class LineScanner implements ItemScanner {
  readonly #path: string;
  #number = 1;
  #start = 0;
  /** The parts of a line that began in an earlier chunk. */
  #parts: Buffer[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  *scan(chunk: Buffer, at: number): Generator<JsonItem> {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      this.#parts.push(chunk.subarray(from, end));
      yield* this.#line();
      from = end + 1;
      this.#start = at + from;
    }
    this.#parts.push(chunk.subarray(from));
  }

  finish(): Iterable<JsonItem> {
    return this.#line();
  }

  *#line(): Generator<JsonItem> {
    const number = this.#number++;
    const size = this.#parts.reduce((sum, { length }) => sum + length, 0);
    const text = itemText(this.#parts, this.#path, number);
    this.#parts = [];
    if (text.trim() === "") return;
    // Where a byte order mark was there are blanks, which are not in the file.
    const bare = text.replace(/^ +/, "");
    yield { number, text: bare, start: this.#start + text.length - bare.length, end: this.#start + size };
  }
}
