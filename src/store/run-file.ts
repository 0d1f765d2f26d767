import { closeSync, existsSync, readFileSync } from "node:fs";
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
