import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";

/** A text this long is not read by people, and neither is what changed in it. */
const MAX_TEXT_BYTES = 2 ** 20;

const MAX_PACK_BYTES = 64 * 2 ** 20;

/** Where a text is in the pack. */
export interface Packed {
  readonly offset: number;
  readonly length: number;
}

/**
 * Keeps many small texts in one file: much cheaper than a copy of a folder. The file has no name once it is open, so that
 * nobody can put another in its place.
 */
export class ContentPack {
  readonly #path: string;
  #file: number | null = null;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null when it is not kept: it is too long, or the pack is full. */
  add(bytes: Buffer): Packed | null {
    const { length } = bytes;
    if (length > MAX_TEXT_BYTES || this.#length + length > MAX_PACK_BYTES) return null;
    const file = this.#opened();
    const packed = { offset: this.#length, length };
    for (let done = 0; done < length; ) done += writeSync(file, bytes, done);
    this.#length += length;
    return packed;
  }

  /** Null once it is closed. */
  read({ offset, length }: Packed): string | null {
    if (length === 0) return "";
    if (this.#file === null) return null;
    const bytes = Buffer.alloc(length);
    readSync(this.#file, bytes, 0, length, offset);
    return bytes.toString("utf8");
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #opened(): number {
    if (this.#file === null) {
      this.#file = openSync(this.#path, "wx+");
      unlinkSync(this.#path);
    }
    return this.#file;
  }
}
