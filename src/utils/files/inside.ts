import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";

/** A pipe must not be waited for, and what took the place of the file since it was looked at must not be followed. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Opens a file of a folder that others may have filled. Refuses names and links that lead out of the folder, and pipes,
 * devices and folders, before a byte is read: what is outside must not even be seen in an error.
 * @example
 * const file = openInside(".assay/runs/20261115-213334-needle", "rows.jsonl");
 */
export function openInside(dir: string, name: string): number {
  const real = realpathSync.native(join(dir, name));
  if (!isBelow(realpathSync.native(dir), real)) throw new Error(`${name} leads out of the folder ${dir}`);
  // A device may do something when it is opened.
  requireRegular(statSync(real), name);
  const file = openSync(real, FLAGS);
  try {
    requireRegular(fstatSync(file), name);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The text of a file of a folder that others may have filled. */
export function readInside(dir: string, name: string): string {
  const file = openInside(dir, name);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Whether a path is a folder or lies in it; both without links. */
export function isBelow(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : `${dir}${sep}`);
}

function requireRegular(stats: Stats, name: string): void {
  if (!stats.isFile()) throw new Error(`${name} is no ordinary file`);
}
