import { randomBytes } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { messageOf, ReporterError } from "../../core/errors.js";
import { toldIn } from "./sql-error.js";

/** A text in pieces, so that none is too large for a string. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

/** Has a file written aside and put in its place when it is whole; nothing is left of one that never is. */
export async function writeAside(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  const clear = () => rmSync(temporary, { force: true });
  process.once("exit", clear);
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (cause) {
    // That it cannot be removed either is no news.
    await rm(temporary, { force: true }).catch(() => {});
    throw unwritten(path, cause);
  } finally {
    process.off("exit", clear);
  }
}

function unwritten(path: string, cause: unknown): unknown {
  const why = fileTrouble(cause);
  if (why === null) return cause;
  return new ReporterError(`${path} could not be written: ${why}. Name another file, or make room.`, { cause });
}

/** What the file system had to say, to Node or to DuckDB; null of any other error. */
function fileTrouble(cause: unknown): string | null {
  if (typeof (cause as NodeJS.ErrnoException).syscall === "string") return messageOf(cause);
  const told = toldIn(messageOf(cause));
  return told?.exception_type === "IO" ? (told.exception_message ?? messageOf(cause)) : null;
}

/** Writes a text so that a reader sees all of it or nothing. */
export function writePieces(path: string, pieces: Pieces): Promise<void> {
  return writeAside(path, (temporary) => pipeline(pieces, createWriteStream(temporary)));
}
