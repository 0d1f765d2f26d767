import { DatasetError } from "../core/errors.js";
import { type ItemScanner, itemText, type JsonItem } from "./item-scanner.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

type Place = "before" | "inside" | "after";

/**
 * Finds the items of a file that holds one JSON array. What is in them is for the parser: here brackets are counted,
 * whatever their kind.
 */
export class ListScanner implements ItemScanner {
  readonly #path: string;
  #place: Place = "before";
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #number = 1;
  #start = 0;
  /** The parts of an item that began in an earlier chunk. */
  #parts: Buffer[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  *scan(chunk: Buffer, at: number): Generator<JsonItem> {
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#isText) {
        i = this.#skipText(chunk, i);
        continue;
      }
      const byte = chunk[i] ?? 0;
      if (this.#place !== "inside") {
        if (this.#outside(byte, chunk, i)) this.#start = at + i + 1;
        from = i + 1;
      } else if (this.#ends(byte)) {
        const text = this.#text(chunk.subarray(from, i));
        const isLast = byte === CLOSE_LIST;
        const isEmptyList = isLast && this.#number === 1 && text.trim() === "";
        if (!isEmptyList) yield { number: this.#number++, text, start: this.#start, end: at + i };
        from = i + 1;
        this.#start = at + from;
        if (isLast) this.#place = "after";
      }
    }
    if (this.#place === "inside") this.#parts.push(chunk.subarray(from));
  }

  finish(): Iterable<JsonItem> {
    if (this.#place === "after") return [];
    throw new DatasetError(
      this.#place === "before"
        ? `"${this.#path}" is empty: it must hold a JSON array.`
        : `"${this.#path}" ends in the middle of item ${this.#number}: it was cut off. Get it again.`,
    );
  }

  /** Goes on to the end of a text, or of the chunk; gives the last position looked at. */
  #skipText(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (chunk[i] === BACKSLASH) this.#isEscaped = true;
      else if (chunk[i] === QUOTE) {
        this.#isText = false;
        return i;
      }
    }
    return chunk.length;
  }

  /** Before the array and after it there are blanks only. True when the array begins. */
  #outside(byte: number, chunk: Buffer, i: number): boolean {
    if (isBlank(byte)) return false;
    const isFirst = this.#place === "before";
    if (isFirst && byte === OPEN_LIST) {
      this.#place = "inside";
      return true;
    }
    const shown = JSON.stringify(chunk.toString("utf8", i, i + 20));
    throw new DatasetError(
      isFirst
        ? `"${this.#path}" does not hold a JSON array: it begins with ${shown}.`
        : `"${this.#path}" goes on with ${shown} after its array of items, of which the last is item ${this.#number - 1}.`,
    );
  }

  /** Takes one byte of an item; true when it is the one after it. */
  #ends(byte: number): boolean {
    if (byte === QUOTE) this.#isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth += 1;
    else if (byte === COMMA) return this.#depth === 0;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) return this.#closes(byte);
    return false;
  }

  #closes(byte: number): boolean {
    if (this.#depth > 0) {
      this.#depth -= 1;
      return false;
    }
    if (byte === CLOSE_LIST) return true;
    throw new DatasetError(`Item ${this.#number} of "${this.#path}" is not valid JSON: it has a "}" too many.`);
  }

  #text(last: Buffer): string {
    const text = itemText([...this.#parts, last], this.#path, this.#number);
    this.#parts = [];
    return text;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
