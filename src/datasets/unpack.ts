import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatasetError, messageOf } from "../core/errors.js";
import { type ByteSource, openBytes } from "../files/byte-source.js";
import { listZip, type ZipMember, ZipProblem } from "../files/zip.js";
import { unpackMember } from "../files/zip-member.js";
import { unreadable } from "./read-bytes.js";

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

const MOST_LISTED = 12;

/**
 * Unpacks one file of a zip archive to a temporary folder; names in the archive never become paths.
 * @example
 * const { path, remove } = await unpack({ path: "qmsum.zip", name: "qmsum.zip", member: "qmsum/validation.jsonl" });
 */
export async function unpack({ path, name, member }: Packed): Promise<Unpacked> {
  const bytes = await openArchive(path, name);
  const folder = await mkdtemp(join(tmpdir(), "assay-unpacked-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const unpacked = join(folder, "rows");
    await unpackMember(bytes, { member: memberOf(await listZip(bytes), member), path: unpacked });
    return { path: unpacked, remove };
  } catch (error) {
    await remove();
    throw problemWith(name, error);
  } finally {
    await bytes.close?.();
  }
}

async function openArchive(path: string, name: string): Promise<ByteSource> {
  try {
    return await openBytes(path, name);
  } catch (error) {
    throw unreadable(name, error);
  }
}

function memberOf(members: readonly ZipMember[], name: string): ZipMember {
  const found = members.find((member) => member.name === name);
  if (found !== undefined) return found;
  const names = members.map((member) => printable(member.name)).filter((known) => !known.endsWith("/"));
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : "";
  const there = names.length === 0 ? "nothing" : `${names.slice(0, MOST_LISTED).join(", ")}${more}`;
  throw new ZipProblem(`has no file "${name}" inside. It holds: ${there}.`);
}

/** Names come from the archive: what they hold besides letters must not reach a terminal. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, "?");
}

function problemWith(name: string, error: unknown): DatasetError {
  if (error instanceof ZipProblem) return new DatasetError(`"${name}" ${error.message}`, { cause: error });
  return new DatasetError(
    `"${name}" could not be unpacked: ${messageOf(error)}. Make room in the folder for temporary files, or name another one in TMPDIR.`,
    { cause: error },
  );
}
