import { isUtf8 } from "node:buffer";
import { DatasetError } from "../core/errors.js";

/** One item of a file. */
export interface JsonItem {
  /** Counted from 1; of a file of lines, the number of the line. */
  readonly number: number;
  readonly text: string;
  /** The byte where it begins, and the one after its last, in the file as it is when decompressed. */
  readonly start: number;
  readonly end: number;
}

/** Finds the items in the chunks of a file. */
export interface ItemScanner {
  /** The items that end in a chunk, which begins at the byte `at`. */
  scan(chunk: Buffer, at: number): Iterable<JsonItem>;
  /** Called after the last chunk: what is left. */
  finish(): Iterable<JsonItem>;
}

/** The text of an item from its parts. */
export function itemText(parts: readonly Buffer[], path: string, number: number): string {
  const [only = Buffer.alloc(0), ...more] = parts;
  const bytes = more.length === 0 ? only : Buffer.concat(parts);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new DatasetError(`Item ${number} of "${path}" is not valid UTF-8 text.`);
}
