import { constants, copyFileSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { Breather } from "./breather.js";
import { type Found, walkFolder } from "./walk-folder.js";

/** Copying a larger one in one go would hold up everything else. */
const MAX_AT_ONCE_BYTES = 2 ** 20;

/**
 * Copies a folder that may be written to meanwhile: what vanishes is left out. Links are kept as they are. Files share
 * their blocks where the file system can do that.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  const breather = new Breather();
  const large: Found[] = [];
  mkdirSync(to);
  await walkFolder(from, {
    ignore: () => false,
    breather,
    visit: (found) => {
      if (found.stats.isFile() && found.stats.size > MAX_AT_ONCE_BYTES) large.push(found);
      else skipGone(() => copyOne(found, `${to}/${found.path}`));
    },
  });
  for (const { place, path } of large) {
    await copyFile(place, `${to}/${path}`, constants.COPYFILE_FICLONE).catch(unlessGone);
  }
}

function copyOne({ place, stats }: Found, target: string): void {
  if (stats.isDirectory()) mkdirSync(target);
  else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(place), target);
  else if (stats.isFile()) copyFileSync(place, target, constants.COPYFILE_FICLONE);
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
