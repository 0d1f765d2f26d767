import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DatasetError, messageOf } from "../core/errors.js";

// Read synchronously, piece by piece: parsing a piece takes the thread longer than reading it from a local disk, and a
// trip through the thread pool for every piece took longer than both.
const CHUNK_BYTES = 1 << 20;
const LF = 10;

/** The bytes of a whole file, without a byte order mark. */
export function readBytes(path: string): Buffer {
  return withoutMark(
    path,
    reading(path, () => readFileSync(path)),
  );
}

/** The bytes of a file, a piece at a time. */
export function* readChunks(path: string): Generator<Buffer> {
  const file = reading(path, () => openSync(path, "r"));
  try {
    for (;;) {
      const chunk = reading(path, () => readChunk(file));
      if (chunk.length === 0) return;
      yield chunk;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * A file in blocks of whole lines, so that no more than a block is held at a time. A line feed is never part of a longer
 * UTF-8 sequence, hence no block ends inside a character.
 */
export async function* readLineBlocks(path: string): AsyncGenerator<Buffer> {
  let first = true;
  for (const block of lineBlocks(path)) {
    // Lets signals and timers have their turn while a large file is read.
    if (!first) await setImmediate();
    yield first ? withoutMark(path, block) : block;
    first = false;
  }
}

function* lineBlocks(path: string): Generator<Buffer> {
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

function readChunk(file: number): Buffer {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  return buffer.subarray(0, readSync(file, buffer));
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, error);
  }
}

function withoutMark(path: string, bytes: Buffer): Buffer {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return bytes.subarray(3);
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    throw new DatasetError(`"${path}" is UTF-16 text. Save it as UTF-8 and try again.`);
  }
  return bytes;
}

/** What is known about a file that could not be opened or read, and what to do about it. */
export function unreadable(path: string, error: unknown): DatasetError {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new DatasetError(`There is no file "${path}" (looked for ${resolve(path)}). Check the path.`, {
      cause: error,
    });
  }
  if (code === "EISDIR") return new DatasetError(`"${path}" is a folder. Give a file inside it.`, { cause: error });
  if (code === "EACCES" || code === "EPERM") {
    return new DatasetError(`"${path}" may not be read. Check its permissions.`, { cause: error });
  }
  return new DatasetError(`"${path}" could not be read: ${messageOf(error)}.`, { cause: error });
}
