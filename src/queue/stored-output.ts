import { existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TrialKey } from "../core/row.js";
import type { UngradedOutput } from "../runner/call.js";
import {
  encodeAloneInPieces,
  encodeKey,
  encodeUngraded,
  hasLargeText,
  LARGE_OUTPUT_CHARS,
} from "../store/row-codec.js";
import { writeContentAddressed } from "../utils/files/atomic.js";
import { isSharedFileName } from "./output-folder.js";
import { decodeBatch, encodeBatch } from "./parcel.js";
import type { QueueSigner } from "./signer.js";

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
