import { closeSync, openSync, readSync } from "node:fs";

// Read synchronously, piece by piece: parsing a piece takes the thread longer than reading it from a local disk, and a
// trip through the thread pool for every piece took longer than both.
const CHUNK_BYTES = 1 << 20;
export const LF = 10;

/** The bytes of a file, a piece at a time. */
function* readChunks(path: string): Generator<Buffer> {
  const file = openSync(path, "r");
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

/**
 * A file in blocks of whole lines, so that no more than a block is held at a time; only the last may lack its line
 * feed. A line feed is never part of a longer UTF-8 sequence, hence no block ends inside a character.
 */
export function* readLineBlocks(path: string): Generator<Buffer> {
  // Kept in pieces until a line feed comes: joining at every chunk would be quadratic in the length of a line.
  let pending: Buffer[] = [];
  for (const chunk of readChunks(path)) {
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > 0) {
      yield pending.length === 0 ? chunk.subarray(0, end) : Buffer.concat([...pending, chunk.subarray(0, end)]);
      pending = [];
    }
    if (end < chunk.length) pending.push(chunk.subarray(end));
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}
