import { constants, lstatSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { type Found, walkFolder } from "./walk-folder.js";
import { WorkspaceError } from "./workspace-error.js";

/** At a time, in threads of their own: making a file can take a millisecond, and others want those threads too. */
const COPIED_AT_ONCE = 2;

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  /** Of all files together, by their lengths: one that is mostly holes is as long as a full one once it is copied. */
  readonly maxBytes: number;
  /** Files, links and folders. */
  readonly maxEntries?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies a folder that may be written to meanwhile: what vanishes is left out. Links are kept as they are. Files share
 * their blocks where the file system can do that. Nothing is made when there is more than there may be.
 */
export async function copyFolder(options: CopyOptions): Promise<void> {
  const found = await allIn(options);
  mkdirSync(options.to);
  for (const each of found) skipGone(() => copyOther(each, `${options.to}/${each.path}`));
  const waiting = found.values();
  await Promise.all(Array.from({ length: COPIED_AT_ONCE }, () => copyFiles(waiting, options)));
}

async function allIn({ from, maxBytes, maxEntries = Infinity, signal }: CopyOptions): Promise<Found[]> {
  const found: Found[] = [];
  let bytes = 0;
  await walkFolder(from, {
    ignore: () => false,
    visit: (each) => {
      signal?.throwIfAborted();
      found.push(each);
      if (each.stats.isFile()) bytes += each.stats.size;
      if (bytes > maxBytes) throw tooMuch(`its files have more than ${Math.round(maxBytes / 2 ** 20)} MB`);
      if (found.length > maxEntries) throw tooMuch(`it holds more than ${maxEntries} files`);
    },
  });
  return found;
}

function tooMuch(why: string): WorkspaceError {
  return new WorkspaceError(`The folder is too large to be copied: ${why}.`);
}

async function copyFiles(waiting: Iterable<Found>, { to, signal }: CopyOptions): Promise<void> {
  for (const { place, path, stats } of waiting) {
    signal?.throwIfAborted();
    if (!stats.isFile() || !isStillFine(place, stats.size)) continue;
    await copyFile(place, `${to}/${path}`, constants.COPYFILE_FICLONE).catch(unlessGone);
  }
}

/** A file that grew beyond measure, or became a pipe, since it was seen. */
function isStillFine(place: string, size: number): boolean {
  const now = lstatSync(place, { throwIfNoEntry: false });
  return now?.isFile() === true && now.size <= size + MAX_GROWTH;
}

/** As logs grow that are written to meanwhile. */
const MAX_GROWTH = 2 ** 20;

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
