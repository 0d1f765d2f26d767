import { mkdir, rename, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../core/errors.js";
import { copyFolder } from "./copy-folder.js";
import { removeFolder } from "./remove-folder.js";
import { WorkspaceError } from "./workspace-error.js";

/** By the lengths of files, which may be far beyond what they take on the disk: a copy would have no holes. */
const MAX_COPIED_BYTES = 4 * 2 ** 30;

export interface KeepOptions {
  readonly from: string;
  readonly dir: string;
  /** As near to it as the name of a folder can be; a number is added where it is taken. */
  readonly name: string;
}

/** Moves a folder, and says where it is now. To another disk it is copied, unless it is too large for that. */
export async function keepFolder({ from, dir, name }: KeepOptions): Promise<string> {
  await mkdir(dir, { recursive: true });
  const kept = await newFolder(join(dir, folderName(name)));
  try {
    await rename(from, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await moveToOtherDisk(from, kept);
  }
  return kept;
}

async function moveToOtherDisk(from: string, kept: string): Promise<void> {
  await rmdir(kept);
  try {
    await copyFolder({ from, to: kept, maxBytes: MAX_COPIED_BYTES });
  } catch (cause) {
    await removeFolder(kept);
    const what = `The folder cannot be kept in ${dirname(kept)}, which is on another disk: ${messageOf(cause)}`;
    throw new WorkspaceError(`${what} Name a folder on the disk of ${from}.`, { cause });
  }
  await removeFolder(from);
}

/** Made empty: one of that name that another process makes at the same time is not overwritten. */
async function newFolder(wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}-${number}`;
    if (await isMade(path)) return path;
  }
}

async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

function folderName(name: string): string {
  const safe = name.replaceAll(/[^\w.-]+/g, "-").slice(0, 100);
  return /^\.*$/.test(safe) ? "workspace" : safe;
}
