import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { getErrorMessage, RunFolderError } from "../core/index.js";
import { openFileInside, readLineBlocks, readLines, type TextLine } from "../utils/index.js";

/**
 * Opens a file of a run folder for reading. The folder may come from someone else: links out of it and special files are
 * rejected.
 */
export function openRunFile(dir: string, name: string): number {
  try {
    return openFileInside(dir, name);
  } catch (cause) {
    throw new RunFolderError(`${join(dir, name)} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}

export function readRunFile(dir: string, name: string): string {
  const file = openRunFile(dir, name);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Reads the lines of a file of a run folder; none if it is missing. */
export function* readRunLines(dir: string, name: string): Generator<TextLine> {
  if (existsSync(join(dir, name))) yield* readLines(openRunFile(dir, name));
}

/** The same in blocks of complete lines. */
export function* readRunLineBlocks(dir: string, name: string): Generator<Buffer> {
  if (existsSync(join(dir, name))) yield* readLineBlocks(openRunFile(dir, name));
}

/** Append, so that several processes can write at once; do not follow a link out of the folder or block on a pipe. */
const APPEND_FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Adds lines to a file of a run folder. `purpose` says what they are, for the error message. */
export function appendRunLines(dir: string, name: string, lines: readonly string[], purpose: string): void {
  try {
    if (!lstatSync(dir).isDirectory())
      throw new Error(`the run folder is a link, and ${purpose} are only written into a real folder`);
    const file = openSync(join(dir, name), APPEND_FLAGS, 0o644);
    try {
      requireOwnFile(file);
      appendLines(file, lines);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new RunFolderError(`${join(dir, name)} cannot be written: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** A second hard link may be a file outside of the run. */
function requireOwnFile(file: number): void {
  const stats = fstatSync(file);
  if (!stats.isFile()) throw new Error("it is not a regular file");
  if (stats.nlink > 1) throw new Error("it is also linked under another name");
}

/** One write, so that lines of other processes never mix with these. A torn last line is ended first. */
function appendLines(file: number, lines: readonly string[]): void {
  const bytes = Buffer.from(`${endsWithLine(file) ? "" : "\n"}${lines.map((line) => `${line}\n`).join("")}`);
  if (writeSync(file, bytes) !== bytes.length) throw new Error("the disk is full");
}

function endsWithLine(file: number): boolean {
  const { size } = fstatSync(file);
  const end = Buffer.alloc(1);
  return size === 0 || (readSync(file, end, 0, 1, size - 1) === 1 && end[0] === 0x0a);
}
