import { randomBytes } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { getErrorMessage, ReporterError } from "../../core/index.js";
import { parseDuckDbError } from "./sql-error.js";

/** A text in pieces, because it may be too large for one string. */
export type TextPieces = Iterable<string> | AsyncIterable<string>;

/** Writes to a temporary file and renames it when complete; removes it on failure. */
export async function writeViaTemporary(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  const clear = () => rmSync(temporary, { force: true });
  process.once("exit", clear);
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (cause) {
    // The original error matters more than a failed cleanup.
    await rm(temporary, { force: true }).catch(() => {});
    throw toWriteError(path, cause);
  } finally {
    process.off("exit", clear);
  }
}

function toWriteError(path: string, cause: unknown): unknown {
  const why = describeFileProblem(cause);
  if (why === null) return cause;
  return new ReporterError(`${path} could not be written: ${why}. Choose another file, or free some space.`, { cause });
}

/** The file-system error, reported by Node or DuckDB; null for any other error. */
function describeFileProblem(cause: unknown): string | null {
  if (typeof (cause as NodeJS.ErrnoException).syscall === "string") return getErrorMessage(cause);
  const told = parseDuckDbError(getErrorMessage(cause));
  return told?.exception_type === "IO" ? (told.exception_message ?? getErrorMessage(cause)) : null;
}

/** Writes a text so that readers see all of it or nothing. */
export function writePieces(path: string, pieces: TextPieces): Promise<void> {
  return writeViaTemporary(path, (temporary) => pipeline(pieces, createWriteStream(temporary)));
}

/** A unique path in the scratch folder: names of run folders may contain characters that file names cannot. */
export function createScratchPath(scratchDir: string): string {
  return join(scratchDir, `${randomBytes(8).toString("hex")}.jsonl`);
}
