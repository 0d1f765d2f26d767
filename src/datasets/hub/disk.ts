import { statfs } from "node:fs/promises";
import { AssayError, messageOf } from "../../core/errors.js";
import { HubError, sizeText } from "./errors.js";

interface Place {
  readonly cacheDir: string;
  /** Bytes that the work has to write. */
  readonly needed: number;
}

/** The way out that every trouble with the cache folder has. */
export const ADVICE = "or set ASSAY_DATASETS_CACHE to another folder";

/** Does work on the cache's files; a full disk or a folder that cannot be used becomes an error that says what to do. */
export async function onDisk<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isFileError(error) ? diskError(error, place) : error;
  }
}

/** Throws before a download that cannot fit. */
export async function checkRoom({ cacheDir, needed }: Place): Promise<void> {
  const { bavail, bsize, blocks } = await statfs(cacheDir);
  const room = bavail * bsize;
  // Some file systems do not tell how much room they have.
  if (blocks > 0 && room < needed) throw fullError({ cacheDir, needed }, `only ${sizeText(room)} are left there`);
}

/** True when the disk has no room left. */
export function isFull(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** True when the file system lets this user write nothing there. */
export function isForbidden(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" || code === "EROFS";
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof AssayError) && "syscall" in error && "code" in error;
}

function diskError(error: NodeJS.ErrnoException, place: Place): HubError {
  if (isFull(error)) return fullError(place, "the disk is full", error);
  const { cacheDir } = place;
  const cannot = error.code === "ENOENT" && error.syscall === "mkdir" ? "made" : "used";
  const what = isForbidden(error)
    ? `The cache folder ${cacheDir} may not be written (${error.code}). Give this user the right to`
    : `The cache folder ${cacheDir} cannot be ${cannot}: ${messageOf(error)}. Mend it`;
  return new HubError(`${what}, ${ADVICE}.`, { cause: error });
}

function fullError({ cacheDir, needed }: Place, why: string, cause?: unknown): HubError {
  return new HubError(
    `There is no room in the cache folder ${cacheDir}: ${sizeText(needed)} are needed, and ${why}. Make room, ${ADVICE}.`,
    { cause },
  );
}
