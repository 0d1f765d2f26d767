import { closeSync, openSync, readSync } from "node:fs";

// Read synchronously, piece by piece: parsing a piece takes the thread longer than reading it from a local disk, and a
// trip through the thread pool for every piece took longer than both.
const CHUNK_BYTES = 1 << 20;
export const LF = 10;

/** The bytes of a file, a piece at a time. It is closed in the end. */
function* readChunks(path: string | number): Generator<Buffer> {
  const file = typeof path === "number" ? path : openSync(path, "r");
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const size = readSync(file, buffer);
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

/** Joins chunks to blocks of whole lines. A line feed is never part of a longer UTF-8 sequence, hence no block ends inside a character. */
export class LineBlocks {
  /** Kept in pieces until a line feed comes: joining at every chunk would be quadratic in the length of a line. */
  #pending: Buffer[] = [];

  /** The lines that the chunk completes; null while there is none. */
  push(chunk: Buffer): Buffer | null {
    const end = chunk.lastIndexOf(LF) + 1;
    const lines = chunk.subarray(0, end);
    const block = end === 0 ? null : this.#pending.length === 0 ? lines : Buffer.concat([...this.#pending, lines]);
    if (end > 0) this.#pending = [];
    if (end < chunk.length) this.#pending.push(chunk.subarray(end));
    return block;
  }

  /** The last line, when it lacks its line feed. */
  rest(): Buffer | null {
    return this.#pending.length === 0 ? null : Buffer.concat(this.#pending);
  }
}

/**
 * A file, by its path or open, in blocks of whole lines, so that no more than a block is held at a time; only the last may
 * lack its line feed.
 */
export function* readLineBlocks(path: string | number): Generator<Buffer> {
  const blocks = new LineBlocks();
  for (const chunk of readChunks(path)) {
    const block = blocks.push(chunk);
    if (block !== null) yield block;
  }
  const rest = blocks.rest();
  if (rest !== null) yield rest;
}
