import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DatasetError, messageOf } from "../core/errors.js";
import { readLineBlocks } from "../files/blocks.js";
import type { ByteSink } from "./source-row.js";

/** The bytes of a whole file, without a byte order mark. */
export function readBytes(path: string, seen?: ByteSink): Buffer {
  try {
    const bytes = readFileSync(path);
    seen?.update(bytes);
    return withoutMark(path, bytes);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** A file in blocks of whole lines, without a byte order mark. */
export async function* readTextBlocks(path: string, seen?: ByteSink): AsyncGenerator<Buffer> {
  let first = true;
  try {
    for (const block of readLineBlocks(path)) {
      // Lets signals and timers have their turn while a large file is read.
      if (!first) await setImmediate();
      seen?.update(block);
      yield first ? withoutMark(path, block) : block;
      first = false;
    }
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
  if (error instanceof DatasetError) return error;
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
