import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { messageOf, ReporterError } from "../core/errors.js";

/** A text in pieces, so that none is too large for a string. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

/** Has a file written aside and put in its place when it is whole. */
export async function writeAside(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw isOfFiles(cause)
      ? new ReporterError(`${path} could not be written: ${messageOf(cause)}. Name another file, or make room.`, {
          cause,
        })
      : cause;
  }
}

function isOfFiles(cause: unknown): boolean {
  return typeof (cause as NodeJS.ErrnoException).syscall === "string";
}

/** Writes a text so that a reader sees all of it or nothing. */
export function writePieces(path: string, pieces: Pieces): Promise<void> {
  return writeAside(path, (temporary) => pipeline(pieces, createWriteStream(temporary)));
}
