import { closeSync, createWriteStream, openSync, readFileSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { DatasetError, messageOf } from "../core/errors.js";
import { LineBlocks, readLineBlocks } from "../utils/files/blocks.js";
import type { ReadOptions } from "./row-table.js";

/** What ends the name of a file that is compressed as a whole. */
export const GZIP = ".gz";

/** The bytes of a whole file, decompressed where it is compressed. */
export async function readPlainBytes(path: string, { seen, name = path }: ReadOptions = {}): Promise<Buffer> {
  try {
    const stored = readFileSync(path);
    const bytes = isGzip(stored) ? (await import("./gunzip.js")).gunzip(stored) : stored;
    seen?.update(bytes);
    return bytes;
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** The bytes of a whole text file, without a byte order mark. */
export async function readBytes(path: string, options: ReadOptions = {}): Promise<Buffer> {
  return withoutMark(options.name ?? path, await readPlainBytes(path, options));
}

/** A file in blocks of whole lines, without a byte order mark. */
export async function* readTextBlocks(path: string, { seen, name = path }: ReadOptions = {}): AsyncGenerator<Buffer> {
  let first = true;
  try {
    for await (const block of isGzip(firstBytes(path)) ? unzippedBlocks(path) : plainBlocks(path)) {
      seen?.update(block);
      yield first ? withoutMark(name, block) : block;
      first = false;
    }
  } catch (error) {
    throw unreadable(name, error);
  }
}

async function* plainBlocks(path: string): AsyncGenerator<Buffer> {
  let first = true;
  for (const block of readLineBlocks(path)) {
    // Lets signals and timers have their turn while a large file is read.
    if (!first) await setImmediate();
    yield block;
    first = false;
  }
}

async function* unzippedBlocks(path: string): AsyncGenerator<Buffer> {
  const blocks = new LineBlocks();
  const { gunzipped } = await import("./gunzip.js");
  for await (const chunk of gunzipped(path)) {
    const block = blocks.push(chunk);
    if (block !== null) yield block;
  }
  const rest = blocks.rest();
  if (rest !== null) yield rest;
}

/** By its first bytes, which no text begins with: downloads lose and keep their endings as they like. */
export function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

export function firstBytes(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(2);
    return bytes.subarray(0, readSync(file, bytes, 0, 2, 0));
  } finally {
    closeSync(file);
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
  if (code === "Z_BUF_ERROR" || code === "Z_DATA_ERROR") {
    const kind =
      code === "Z_BUF_ERROR" ? "ends too early: it was cut off on its way" : "is no gzip file, or is damaged";
    return new DatasetError(`"${path}" ${kind}. Get it again, or give the file that was compressed.`, { cause: error });
  }
  if (code === "ERR_BUFFER_TOO_LARGE") {
    return new DatasetError(
      `"${path}" grows to more than a hundred times its size when it is decompressed, as files do that were made to fill the memory. If you trust it, decompress it yourself and give that file.`,
      { cause: error },
    );
  }
  return new DatasetError(`"${path}" could not be read: ${messageOf(error)}.`, { cause: error });
}

/** A file that is wanted from inside of an archive. */
export interface Packed {
  /** Where the archive lies. */
  readonly path: string;
  /** What messages call the archive. */
  readonly name: string;
  /** The name of the file, as the archive has it. */
  readonly member: string;
}

/** A file that was unpacked, for as long as it is read. */
export interface Unpacked {
  readonly path: string;
  remove(): Promise<void>;
}

const MAX_LISTED = 12;
const ADVICE = "Unpack it, and give the file inside.";

/**
 * Unpacks one file of a zip archive to a temporary folder; names in the archive never become paths.
 * @example
 * const { path, remove } = await unpack({ path: "qmsum.zip", name: "qmsum.zip", member: "qmsum/validation.jsonl" });
 */
export async function unpack({ path, name, member }: Packed): Promise<Unpacked> {
  const { openPromise } = await import("yauzl");
  // Names come as bytes: yauzl would refuse an archive with a name such as "../x" as a whole.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  const zip = await openPromise(path, options).catch((error: unknown) => {
    throw isSystemError(error) ? unreadable(name, error) : notZip(name, error);
  });
  const folder = await mkdtemp(join(tmpdir(), "assay-unpacked-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const unpacked = join(folder, "rows");
    await writeMember(zip, await findMember(zip, name, member), { name, path: unpacked });
    return { path: unpacked, remove };
  } catch (error) {
    await remove();
    throw explain(name, member, error);
  } finally {
    zip.close();
  }
}

async function findMember(zip: ZipFile, name: string, member: string): Promise<Entry> {
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) {
    const entryName = String(entry.fileName);
    if (entryName === member) return entry;
    // Names come from the archive: what they hold besides letters must not reach a terminal.
    if (!entryName.endsWith("/")) names.push(entryName.replace(/\p{Cc}/gu, "?"));
  }
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  const there = names.length === 0 ? "nothing" : `${names.slice(0, MAX_LISTED).join(", ")}${more}`;
  throw new DatasetError(`"${name}" has no file "${member}" inside. It holds: ${there}.`);
}

async function writeMember(zip: ZipFile, entry: Entry, { name, path }: { name: string; path: string }): Promise<void> {
  const member = String(entry.fileName);
  if (entry.isEncrypted()) throw new DatasetError(`"${name}" has "${member}" under a password. ${ADVICE}`);
  if (!entry.canDecodeFileData()) {
    const { compressionMethod: method } = entry;
    throw new DatasetError(`"${name}" has "${member}" packed by method ${method}, which is not supported. ${ADVICE}`);
  }
  const content = await zip.openReadStreamPromise(entry);
  // yauzl checks the size, and leaves the checksum to us.
  const check = async function* (chunks: AsyncIterable<Buffer>) {
    let sum = 0;
    for await (const chunk of chunks) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (sum !== entry.crc32) throw new Error("its checksum is wrong");
  };
  await pipeline(content, check, createWriteStream(path, { flags: "wx" }));
}

function notZip(name: string, cause: unknown): DatasetError {
  return new DatasetError(`"${name}" is no zip archive, or was cut off: ${messageOf(cause)}. Get it again.`, { cause });
}

function explain(name: string, member: string, error: unknown): DatasetError {
  if (error instanceof DatasetError) return error;
  const reason = messageOf(error).replace(/\.$/, "");
  if (!isSystemError(error))
    return new DatasetError(`"${name}" is damaged: "${member}" cannot be unpacked (${reason}). Get it again.`, {
      cause: error,
    });
  return new DatasetError(
    `"${name}" could not be unpacked: ${reason}. Make room in the folder for temporary files, or name another one in TMPDIR.`,
    { cause: error },
  );
}

/** Tells what the file system says from what is wrong with the archive. */
function isSystemError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.syscall !== undefined;
}
