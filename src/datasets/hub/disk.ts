import { statfs } from "node:fs/promises";
import { AssayError, messageOf } from "../../core/errors.js";
import { HubError, sizeText } from "./errors.js";

interface Place {
  readonly cacheDir: string;
  /** Bytes to write. */
  readonly needed: number;
}

export const ADVICE = "or set ASSAY_DATASETS_CACHE to another folder";

/** Turns file system errors of the cache into errors with a remedy. */
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
  // Some file systems do not report free space.
  if (blocks > 0 && room < needed) throw fullError({ cacheDir, needed }, `only ${sizeText(room)} are left there`);
}

export function isFull(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}

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
    ? `The cache folder ${cacheDir} is not writable (${error.code}). Give this user permission`
    : `The cache folder ${cacheDir} cannot be ${cannot}: ${messageOf(error)}. Fix it`;
  return new HubError(`${what}, ${ADVICE}.`, { cause: error });
}

function fullError({ cacheDir, needed }: Place, why: string, cause?: unknown): HubError {
  return new HubError(
    `Not enough space in the cache folder ${cacheDir}: ${sizeText(needed)} are needed, and ${why}. Free some space, ${ADVICE}.`,
    { cause },
  );
}
