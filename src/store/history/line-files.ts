import { closeSync, copyFileSync, existsSync, fstatSync, readSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { openRunFile } from "../run-file.js";
import { createScratchPath } from "./scratch-file.js";
import type { StoredRun } from "./stored-runs.js";

export interface LineFile {
  readonly run: string;
  readonly path: string;
}

const LINE_FEED = 10;
const SCAN_BLOCK_BYTES = 1 << 16;

/**
 * Finds the non-empty files of one name in these runs. An unreadable file affects only its own run. A torn last line is
 * left out: the file is then read from a copy that ends with its last complete line.
 */
export function findLineFiles(
  runs: readonly StoredRun[],
  name: string,
  scratchDir: string,
): { files: LineFile[]; notes: string[] } {
  const files: LineFile[] = [];
  const notes: string[] = [];
  for (const { run, dir } of runs) {
    try {
      const { size, whole } = measureWholeLines(dir, name);
      if (whole > 0) files.push({ run, path: copyWholePart(join(dir, name), { size, whole, scratchDir }) });
      if (whole < size) notes.push(`${run}: the torn last line of ${name} was skipped`);
    } catch {
      notes.push(formatUnreadableNote(run, name));
    }
  }
  return { files, notes };
}

export function formatUnreadableNote(run: string, name: string): string {
  return `${run}: ${name} cannot be read and was skipped`;
}

/** The size of a file, and its size up to the last line feed; both 0 if it is missing. */
function measureWholeLines(dir: string, name: string): { size: number; whole: number } {
  if (!existsSync(join(dir, name))) return { size: 0, whole: 0 };
  const file = openRunFile(dir, name);
  try {
    const { size } = fstatSync(file);
    return { size, whole: findLastLineFeed(file, size) + 1 };
  } finally {
    closeSync(file);
  }
}

/** The position of the last line feed; -1 if there is none. */
function findLastLineFeed(file: number, size: number): number {
  for (let stop = size; stop > 0; ) {
    // Nearly every file ends with one, so one byte is usually enough.
    const block = Buffer.alloc(Math.min(stop === size ? 1 : SCAN_BLOCK_BYTES, stop));
    stop -= block.length;
    readSync(file, block, 0, block.length, stop);
    const at = block.lastIndexOf(LINE_FEED);
    if (at !== -1) return stop + at;
  }
  return -1;
}

interface WholePart {
  readonly size: number;
  readonly whole: number;
  readonly scratchDir: string;
}

function copyWholePart(path: string, { size, whole, scratchDir }: WholePart): string {
  if (whole === size) return path;
  const copy = createScratchPath(scratchDir);
  copyFileSync(path, copy);
  truncateSync(copy, whole);
  return copy;
}
