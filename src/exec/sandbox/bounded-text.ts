import type { Readable } from "node:stream";

/** Keeps the first bytes that a stream gives, and calls when there are more. */
export class BoundedText {
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  #isTruncated = false;

  constructor(stream: Readable | null, maxBytes: number, exceeded: () => void) {
    stream?.on("data", (chunk: Buffer) => {
      const room = maxBytes - this.#bytes;
      if (room > 0) this.#parts.push(chunk.subarray(0, room));
      this.#bytes += chunk.length;
      if (this.#bytes <= maxBytes || this.#isTruncated) return;
      this.#isTruncated = true;
      exceeded();
    });
    stream?.on("error", () => undefined);
  }

  text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }
}
