import { constants, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { type Found, walkFolder } from "./walk-folder.js";

/** At a time, in threads of their own: making a file can take a millisecond, and others want those threads too. */
const COPIED_AT_ONCE = 2;

/**
 * Copies a folder that may be written to meanwhile: what vanishes is left out. Links are kept as they are. Files share
 * their blocks where the file system can do that.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  const files: Found[] = [];
  mkdirSync(to);
  await walkFolder(from, {
    ignore: () => false,
    visit: (found) => {
      if (found.stats.isFile()) files.push(found);
      else skipGone(() => copyOther(found, `${to}/${found.path}`));
    },
  });
  const waiting = files.values();
  await Promise.all(Array.from({ length: COPIED_AT_ONCE }, () => copyFiles(waiting, to)));
}

async function copyFiles(waiting: Iterable<Found>, to: string): Promise<void> {
  for (const { place, path } of waiting) {
    await copyFile(place, `${to}/${path}`, constants.COPYFILE_FICLONE).catch(unlessGone);
  }
}

function copyOther({ place, stats }: Found, target: string): void {
  if (stats.isDirectory()) mkdirSync(target);
  else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(place), target);
}

function skipGone(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    unlessGone(error);
  }
}

/** What may not be read could not be graded in the original either. */
function unlessGone(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES") throw error;
}
