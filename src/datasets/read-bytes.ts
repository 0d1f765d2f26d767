import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DatasetError, getErrorMessage } from "../core/index.js";
import { LineBlockSplitter, readLineBlocks } from "../utils/index.js";
import type { RowReadOptions } from "./source-row.js";

export const GZIP_EXTENSION = ".gz";

/** Reads a whole file, decompressed if necessary. */
export async function readPlainBytes(path: string, { seen, name = path }: RowReadOptions = {}): Promise<Buffer> {
  try {
    const stored = readFileSync(path);
    const bytes = isGzip(stored) ? (await import("./gunzip.js")).decompressGzip(stored) : stored;
    seen?.update(bytes);
    return bytes;
  } catch (error) {
    throw createUnreadableError(name, error);
  }
}

/** Reads a whole text file, without a byte order mark. */
export async function readBytes(path: string, options: RowReadOptions = {}): Promise<Buffer> {
  return stripByteOrderMark(options.name ?? path, await readPlainBytes(path, options));
}

/** Reads a file in blocks of whole lines, without a byte order mark. */
export async function* readTextBlocks(
  path: string,
  { seen, name = path }: RowReadOptions = {},
): AsyncGenerator<Buffer> {
  let first = true;
  try {
    for await (const block of isGzip(readFirstBytes(path)) ? readGzipBlocks(path) : readPlainBlocks(path)) {
      seen?.update(block);
      yield first ? stripByteOrderMark(name, block) : block;
      first = false;
    }
  } catch (error) {
    throw createUnreadableError(name, error);
  }
}

async function* readPlainBlocks(path: string): AsyncGenerator<Buffer> {
  let first = true;
  for (const block of readLineBlocks(path)) {
    // Lets signals and timers be handled while a large file is read.
    if (!first) await setImmediate();
    yield block;
    first = false;
  }
}

async function* readGzipBlocks(path: string): AsyncGenerator<Buffer> {
  const blocks = new LineBlockSplitter();
  const { readGzipFile } = await import("./gunzip.js");
  for await (const chunk of readGzipFile(path)) {
    const block = blocks.push(chunk);
    if (block !== null) yield block;
  }
  const rest = blocks.flush();
  if (rest !== null) yield rest;
}

/** Checks the magic number, which no text begins with: extensions of downloads are unreliable. */
export function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

export function readFirstBytes(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(2);
    return bytes.subarray(0, readSync(file, bytes, 0, 2, 0));
  } finally {
    closeSync(file);
  }
}

function stripByteOrderMark(path: string, bytes: Buffer): Buffer {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return bytes.subarray(3);
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    throw new DatasetError(`"${path}" is UTF-16 text. Save it as UTF-8 and try again.`);
  }
  return bytes;
}

/** Explains why a file could not be read, with a remedy. */
export function createUnreadableError(path: string, error: unknown): DatasetError {
  if (error instanceof DatasetError) return error;
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new DatasetError(`File not found: "${path}" (${resolve(path)}). Check the path.`, {
      cause: error,
    });
  }
  if (code === "EISDIR") return new DatasetError(`"${path}" is a folder. Pass a file inside it.`, { cause: error });
  if (code === "EACCES" || code === "EPERM") {
    return new DatasetError(`"${path}" is not readable. Check its permissions.`, { cause: error });
  }
  if (code === "Z_BUF_ERROR" || code === "Z_DATA_ERROR") {
    const kind = code === "Z_BUF_ERROR" ? "is truncated" : "is not a gzip file, or is damaged";
    return new DatasetError(`"${path}" ${kind}. Download it again, or pass the uncompressed file.`, { cause: error });
  }
  if (code === "ERR_BUFFER_TOO_LARGE") {
    return new DatasetError(
      `"${path}" decompresses to more than a hundred times its size, like a decompression bomb. If you trust it, decompress it yourself and pass that file.`,
      { cause: error },
    );
  }
  return new DatasetError(`"${path}" could not be read: ${getErrorMessage(error)}.`, { cause: error });
}
