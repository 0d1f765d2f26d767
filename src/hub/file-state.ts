import type { Stats } from "node:fs";
import { utimes } from "node:fs/promises";

/** What tells a file from what it was before a change. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** The state that the file system reports. */
export function stateOf({ size, mtimeMs, ino }: Stats): FileState {
  return { size, mtimeMs, ino };
}

/** True when nothing shows that the file has changed. */
export function isSameState(a: FileState, b: FileState): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}

/** Dates a new file back: a change in the same tick of the file system's clock would leave no other trace. */
export async function dateBack(path: string): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000) - 3;
  // Some network file systems refuse it; everything works without.
  await utimes(path, seconds, seconds).catch(() => undefined);
}
