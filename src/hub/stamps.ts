import { readFileSync, rmSync } from "node:fs";
import { writeAtomically } from "../files/atomic.js";
import { isForbidden, isFull } from "./disk.js";
import type { Stamp } from "./verify.js";

/** Where the stamp of a file is. */
function stampPath(path: string): string {
  return `${path}.verified`;
}

/** The stamp beside a file; null when there is none that can be read. */
export function readStamp(path: string): Stamp | null {
  try {
    const { size, mtimeMs, ino, hash } = JSON.parse(readFileSync(stampPath(path), "utf8")) as Record<string, unknown>;
    const isWhole = typeof size === "number" && typeof mtimeMs === "number" && typeof ino === "number";
    return isWhole && typeof hash === "string" ? { size, mtimeMs, ino, hash } : null;
  } catch {
    return null;
  }
}

/** Puts a stamp beside a file. */
export function writeStamp(path: string, { size, mtimeMs, ino, hash }: Stamp): void {
  writeAtomically(stampPath(path), JSON.stringify({ size, mtimeMs, ino, hash }));
}

/** Puts a stamp beside a file where that is possible: a cache that is read-only or full is read without. */
export function tryWriteStamp(path: string, stamp: Stamp): void {
  try {
    writeStamp(path, stamp);
  } catch (error) {
    if (!isForbidden(error) && !isFull(error)) throw error;
  }
}

/** Takes the stamp of a file away. */
export function removeStamp(path: string): void {
  rmSync(stampPath(path), { force: true });
}
