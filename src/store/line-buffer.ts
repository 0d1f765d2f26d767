import { writeSync } from "node:fs";

/** Room for the lines of a turn of the event loop; one that has more gets more. */
const USUAL_BYTES = 1 << 16;
/** A buffer that grew beyond this for once is let go of. */
const MOST_KEPT = 1 << 22;
/** Bytes that are written at a time where nothing else says when: more would not fit into the cache of a processor. */
const WRITE_AT_ONCE = 1 << 17;
const LF = 10;
/** The most bytes that a character of a text takes in UTF-8. */
const WIDEST = 3;

/** Every buffer has it. `write`, which finds out what its arguments mean and then calls it, takes several times as long. */
type Utf8Buffer = Buffer & { utf8Write(text: string, offset: number): number };

/**
 * Lines on their way to a file, as bytes in one buffer that is used again. A text that grows line by line would be a tree
 * of its parts, which is put together and then encoded when it is written: twice the work.
 */
export class LineBuffer {
  #bytes = bufferOf(USUAL_BYTES);
  #end = 0;

  get isEmpty(): boolean {
    return this.#end === 0;
  }

  /** True when there are enough of them for a write of their own. */
  get isFull(): boolean {
    return this.#end >= WRITE_AT_ONCE;
  }

  add(line: string): void {
    const most = this.#end + line.length * WIDEST + 1;
    if (most > this.#bytes.length) this.#grow(most);
    this.#end += this.#bytes.utf8Write(line, this.#end);
    this.#bytes[this.#end++] = LF;
  }

  /** Writes all of them, and is empty afterwards whatever comes of it. */
  writeTo(fd: number): void {
    const bytes = this.#bytes;
    const end = this.#end;
    this.#end = 0;
    for (let done = 0; done < end; ) done += writeSync(fd, bytes, done, end - done);
    if (bytes.length > MOST_KEPT) this.#bytes = bufferOf(USUAL_BYTES);
  }

  /** Forgets what was not written. */
  clear(): void {
    this.#end = 0;
  }

  #grow(least: number): void {
    const larger = bufferOf(Math.max(least, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

function bufferOf(size: number): Utf8Buffer {
  return Buffer.allocUnsafe(size) as Utf8Buffer;
}
