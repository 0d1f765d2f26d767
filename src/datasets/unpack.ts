import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { DatasetError, getErrorMessage } from "../core/index.js";
import { createUnreadableError } from "./read-bytes.js";

/** A file inside an archive. */
export interface PackedFile {
  /** Path of the archive. */
  readonly path: string;
  /** Name of the archive, for messages. */
  readonly name: string;
  /** Name of the file in the archive. */
  readonly member: string;
}

/** A temporary unpacked file. */
export interface UnpackedFile {
  readonly path: string;
  remove(): Promise<void>;
}

const MAX_LISTED = 12;
const UNPACK_ADVICE = "Unpack it, and pass the file inside.";

/**
 * Unpacks one file of a zip archive to a temporary folder; names in the archive never become paths.
 * @example
 * const { path, remove } = await unpackFile({ path: "qmsum.zip", name: "qmsum.zip", member: "qmsum/validation.jsonl" });
 */
export async function unpackFile({ path, name, member }: PackedFile): Promise<UnpackedFile> {
  const { openPromise } = await import("yauzl");
  // Names are read as bytes: otherwise yauzl would reject an archive with a name such as "../x".
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  const zip = await openPromise(path, options).catch((error: unknown) => {
    throw isSystemError(error) ? createUnreadableError(name, error) : createNotZipError(name, error);
  });
  const folder = await mkdtemp(join(tmpdir(), "assay-unpacked-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const unpacked = join(folder, "rows");
    await writeMember(zip, await findMember(zip, name, member), { name, path: unpacked });
    return { path: unpacked, remove };
  } catch (error) {
    await remove();
    throw explainUnpackError(name, member, error);
  } finally {
    zip.close();
  }
}

async function findMember(zip: ZipFile, name: string, member: string): Promise<Entry> {
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) {
    const entryName = String(entry.fileName);
    if (entryName === member) return entry;
    // Names come from the archive: control characters must not reach a terminal.
    if (!entryName.endsWith("/")) names.push(entryName.replace(/\p{Cc}/gu, "?"));
  }
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  const there = names.length === 0 ? "nothing" : `${names.slice(0, MAX_LISTED).join(", ")}${more}`;
  throw new DatasetError(`"${name}" has no file "${member}" inside. It contains: ${there}.`);
}

async function writeMember(zip: ZipFile, entry: Entry, { name, path }: { name: string; path: string }): Promise<void> {
  const member = String(entry.fileName);
  if (entry.isEncrypted()) throw new DatasetError(`"${name}" has "${member}" under a password. ${UNPACK_ADVICE}`);
  if (!entry.canDecodeFileData()) {
    const { compressionMethod: method } = entry;
    throw new DatasetError(
      `"${name}" has "${member}" compressed with method ${method}, which is not supported. ${UNPACK_ADVICE}`,
    );
  }
  const content = await zip.openReadStreamPromise(entry);
  // yauzl checks the size but not the checksum.
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

function createNotZipError(name: string, cause: unknown): DatasetError {
  return new DatasetError(
    `"${name}" is not a zip archive, or is truncated: ${getErrorMessage(cause)}. Download it again.`,
    {
      cause,
    },
  );
}

function explainUnpackError(name: string, member: string, error: unknown): DatasetError {
  if (error instanceof DatasetError) return error;
  const reason = getErrorMessage(error).replace(/\.$/, "");
  if (!isSystemError(error))
    return new DatasetError(`"${name}" is damaged: "${member}" cannot be unpacked (${reason}). Download it again.`, {
      cause: error,
    });
  return new DatasetError(
    `"${name}" could not be unpacked: ${reason}. Free some space in the temporary folder, or set TMPDIR to another one.`,
    { cause: error },
  );
}

/** Distinguishes file system errors from problems of the archive. */
function isSystemError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.syscall !== undefined;
}
