import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";

/** Do not block on a pipe, and do not follow a link that replaced the file after the check. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Opens a file in a folder with untrusted content. Rejects names and links that lead outside, and pipes, devices and
 * folders, before reading anything, so that nothing outside shows up even in errors.
 * @example
 * const file = openFileInside(".assay/runs/20261115-213334-needle", "rows.jsonl");
 */
export function openFileInside(dir: string, name: string): number {
  const real = realpathSync.native(join(dir, name));
  if (!isInsideDir(realpathSync.native(dir), real)) throw new Error(`${name} leads outside of the folder ${dir}`);
  // Opening a device can have side effects.
  requireRegularFile(statSync(real), name);
  const file = openSync(real, OPEN_FLAGS);
  try {
    requireRegularFile(fstatSync(file), name);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads a text file in a folder with untrusted content. */
export function readFileInside(dir: string, name: string): string {
  const file = openFileInside(dir, name);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** True if `path` is `dir` or lies inside it. Both must be real paths. */
export function isInsideDir(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : `${dir}${sep}`);
}

function requireRegularFile(stats: Stats, name: string): void {
  if (!stats.isFile()) throw new Error(`${name} is not a regular file`);
}
