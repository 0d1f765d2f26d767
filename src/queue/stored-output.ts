import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { TrialKey } from "../core/index.js";
import { getErrorMessage, QueueError } from "../core/index.js";
import type { UngradedOutput } from "../runner/index.js";
import { encodeAloneInPieces, encodeKey, encodeUngraded, hasLargeText, LARGE_OUTPUT_CHARS } from "../store/index.js";
import { writeContentAddressed } from "../utils/index.js";
import { decodeBatch, encodeBatch } from "./result-batch.js";
import type { QueueSigner } from "./signer.js";

/** File names of large outputs. */
const SHARED_FILE = /^[0-9a-f]{32}\.json$/;
/** The same, and temporary files left by a killed worker. */
const SHARED_OR_TEMP_FILE = /^[0-9a-f]{32}\.json(?:\.\d+\.[0-9a-f]{8}\.tmp)?$/;
/** Names of runs in Redis. */
const RUN_KEY = /^[^/\\]+-[0-9a-f]{8,16}$/;
/** Group-writable, and new files inherit the group. */
const GROUP_MODE = 0o2770;
const STICKY_BIT = 0o1000;

export function isSharedFileName(name: string): boolean {
  return SHARED_FILE.test(name);
}

/**
 * Creates the folder of a run for large outputs with the permissions of its parent, so that workers can write there. The
 * parent is not created: if it is missing, it may not be mounted.
 */
export function makeSharedFolder(sharedDir: string, key: string): void {
  const folder = join(sharedDir, key);
  try {
    const { mode } = statSync(sharedDir);
    mkdirSync(folder, { recursive: true });
    trySetMode(folder, (mode & 0o7777 & ~STICKY_BIT) | GROUP_MODE);
  } catch (cause) {
    throw new QueueError(
      `The folder for large outputs ${folder} cannot be created: ${getErrorMessage(cause)}. Create or mount ${sharedDir} with write permission.`,
      { cause },
    );
  }
}

/** Another user may own the folder, and some file systems do not support these permissions. */
function trySetMode(folder: string, mode: number): void {
  try {
    chmodSync(folder, mode);
  } catch {
    // Workers that cannot write there report it.
  }
}

export function removeSharedFile(folder: string, name: string): void {
  try {
    rmSync(join(folder, name), { force: true });
  } catch {
    // It is removed with the folder, or only takes up space.
  }
}

/**
 * Removes the files that workers have left of a run, and its folder. The names come from Redis, so they are checked before
 * anything is removed.
 */
export function removeSharedFolder(sharedDir: string, key: string): void {
  if (!RUN_KEY.test(key)) return;
  const folder = join(sharedDir, key);
  try {
    for (const name of readdirSync(folder))
      if (SHARED_OR_TEMP_FILE.test(name)) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch {
    // The folder is not visible from here, or holds other files.
  }
}

/** Everything needed to sign and read ungraded outputs in Redis. */
export interface SealingContext {
  key: string;
  signer: QueueSigner;
  /** The folder of the run for large outputs; null if there is none. */
  folder: string | null;
}

/**
 * The line of an ungraded output. A large one goes to the folder of the run and is named by the line. Null if there is no
 * such folder, or if JSON cannot hold the output.
 */
export function encodeStoredOutput(ungraded: UngradedOutput, folder: string | null): string | null {
  const line = hasLargeText(ungraded.output) ? null : encodeUngraded(ungraded);
  if (line !== null && line.length <= LARGE_OUTPUT_CHARS) return line;
  const pieces = folder === null ? null : encodeAloneInPieces(ungraded, ungraded.output);
  if (pieces === null || folder === null) return null;
  try {
    return encodeUngraded(ungraded, writeSharedFile(folder, pieces));
  } catch {
    return null;
  }
}

/** Does not create the parents: if they are missing, nothing is mounted, and no other machine would see the file. */
export function writeSharedFile(folder: string, pieces: Iterable<string>): string {
  if (!existsSync(folder)) mkdirSync(folder);
  return writeContentAddressed(folder, pieces);
}

export interface DecodedStoredOutput {
  ungraded: UngradedOutput;
  /** The file in the shared folder that holds it; null if the line does. */
  file: string | null;
}

/** Decodes a line; null if its file is missing. Throws if the line is malformed. */
export function decodeStoredOutput(line: string, folder: string | null): DecodedStoredOutput | null {
  const { file, ...ungraded } = JSON.parse(line) as UngradedOutput & { file?: unknown };
  if (file === undefined) return { ungraded, file: null };
  if (typeof file !== "string" || !isSharedFileName(file) || folder === null) return null;
  const path = join(folder, file);
  // Others can write to that folder, so links and pipes are not read.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const { output } = JSON.parse(readFileSync(path, "utf8")) as Pick<UngradedOutput, "output">;
  return { ungraded: { ...ungraded, output }, file };
}

/** The signed output of one trial, as stored in Redis. */
export async function sealOutput(index: number, line: string, { key, signer }: SealingContext): Promise<Buffer> {
  return signer.signResults(key, await encodeBatch({ worker: "", news: [{ kind: "output", index, line }] }));
}

/** The stored output of a trial; null if the run did not sign it, or if it belongs to another trial. */
export function openSealedOutput(
  sealed: Buffer,
  { index, trial }: { index: number; trial: TrialKey },
  { key, signer, folder }: SealingContext,
): UngradedOutput | null {
  try {
    const [news] = decodeBatch(signer.openResults(key, sealed)).news;
    if (news?.kind !== "output" || news.index !== index) return null;
    const { ungraded = null } = decodeStoredOutput(news.line, folder) ?? {};
    return ungraded !== null && encodeKey(ungraded) === encodeKey(trial) ? ungraded : null;
  } catch {
    return null;
  }
}
