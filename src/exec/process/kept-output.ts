import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Reads a stream to its end and keeps the first and the last part. */
export class OutputBuffer {
  readonly #head: RingBuffer;
  readonly #tail: RingBuffer;

  constructor(stream: Readable, maxBytes: number) {
    const headBytes = Math.ceil(maxBytes / 2);
    this.#head = new RingBuffer(headBytes);
    this.#tail = new RingBuffer(maxBytes - headBytes);
    stream.on("data", (chunk: Buffer) => this.#append(chunk));
    stream.on("error", () => undefined);
  }

  get isTruncated(): boolean {
    return this.#tail.droppedBytes > 0;
  }

  text(): string {
    const [head, tail] = [this.#head.content(), this.#tail.content()];
    if (!this.isTruncated) return Buffer.concat([head, tail]).toString("utf8");
    return `${decodeHead(head)}\n[${this.#tail.droppedBytes} bytes left out]\n${decodeTail(tail)}`;
  }

  #append(chunk: Buffer): void {
    const room = this.#head.freeBytes;
    if (room > 0) this.#head.push(chunk.subarray(0, room));
    if (chunk.length > room) this.#tail.push(chunk.subarray(room));
  }
}

/** Without an incomplete last character. */
function decodeHead(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes);
}

/** Without an incomplete first character: at most three continuation bytes. */
function decodeTail(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString("utf8");
}

const INITIAL_BYTES = 1 << 12;

/** The last bytes of everything pushed. Grows up to its limit. */
class RingBuffer {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);
  #end = 0;
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get freeBytes(): number {
    return Math.max(0, this.#maxBytes - this.#total);
  }

  get droppedBytes(): number {
    return Math.max(0, this.#total - this.#maxBytes);
  }

  push(chunk: Buffer): void {
    this.#grow(this.#total + chunk.length);
    this.#total += chunk.length;
    const last = chunk.subarray(Math.max(0, chunk.length - this.#maxBytes));
    const written = last.copy(this.#bytes, this.#end);
    last.copy(this.#bytes, 0, written);
    const size = Math.max(1, this.#bytes.length);
    this.#end = (this.#end + last.length) % size;
  }

  content(): Buffer {
    if (this.#total < this.#bytes.length) return this.#bytes.subarray(0, this.#total);
    return Buffer.concat([this.#bytes.subarray(this.#end), this.#bytes.subarray(0, this.#end)]);
  }

  /** Nothing has been overwritten while it still grows, so the content begins at 0. */
  #grow(needed: number): void {
    if (needed <= this.#bytes.length || this.#bytes.length === this.#maxBytes) return;
    const grown = Buffer.alloc(Math.min(this.#maxBytes, Math.max(INITIAL_BYTES, 2 * this.#bytes.length, needed)));
    this.#bytes.copy(grown, 0, 0, this.#total);
    this.#bytes = grown;
    this.#end = this.#total;
  }
}
