import { chmodSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage, QueueError } from "../core/errors.js";

/** File names of large outputs. */
const SHARED_FILE = /^[0-9a-f]{32}\.json$/;
/** The same, and temporary files left by a killed worker. */
const SHARED_OR_TEMP_FILE = /^[0-9a-f]{32}\.json(?:\.\d+\.[0-9a-f]{8}\.tmp)?$/;
/** Names of runs in Redis. */
const RUN_KEY = /^[^/\\]+-[0-9a-f]{8,16}$/;
/** Group-writable, and new files inherit the group. */
const GROUP_MODE = 0o2770;
const STICKY_BIT = 0o1000;

export function isSharedFileName(name: string): boolean {
  return SHARED_FILE.test(name);
}

/**
 * Creates the folder of a run for large outputs with the permissions of its parent, so that workers can write there. The
 * parent is not created: if it is missing, it may not be mounted.
 */
export function makeSharedFolder(sharedDir: string, key: string): void {
  const folder = join(sharedDir, key);
  try {
    const { mode } = statSync(sharedDir);
    mkdirSync(folder, { recursive: true });
    trySetMode(folder, (mode & 0o7777 & ~STICKY_BIT) | GROUP_MODE);
  } catch (cause) {
    throw new QueueError(
      `The folder for large outputs ${folder} cannot be created: ${getErrorMessage(cause)}. Create or mount ${sharedDir} with write permission.`,
      { cause },
    );
  }
}

/** Another user may own the folder, and some file systems do not support these permissions. */
function trySetMode(folder: string, mode: number): void {
  try {
    chmodSync(folder, mode);
  } catch {
    // Workers that cannot write there report it.
  }
}

export function removeSharedFile(folder: string, name: string): void {
  try {
    rmSync(join(folder, name), { force: true });
  } catch {
    // It is removed with the folder, or only takes up space.
  }
}

/**
 * Removes the files that workers have left of a run, and its folder. The names come from Redis, so they are checked before
 * anything is removed.
 */
export function removeSharedFolder(sharedDir: string, key: string): void {
  if (!RUN_KEY.test(key)) return;
  const folder = join(sharedDir, key);
  try {
    for (const name of readdirSync(folder))
      if (SHARED_OR_TEMP_FILE.test(name)) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch {
    // The folder is not visible from here, or holds other files.
  }
}
