import { statfs } from "node:fs/promises";
import { AssayError, getErrorMessage } from "../../core/errors.js";
import { formatDownloadSize, HubError } from "./errors.js";

interface DiskUsage {
  readonly cacheDir: string;
  /** Bytes to write. */
  readonly needed: number;
}

export const CACHE_DIR_ADVICE = "or set ASSAY_DATASETS_CACHE to another folder";

/** Turns file system errors of the cache into errors with a remedy. */
export async function withDiskErrors<T>(place: DiskUsage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isFileSystemError(error) ? createDiskError(error, place) : error;
  }
}

/** Throws before a download that cannot fit. */
export async function requireDiskSpace({ cacheDir, needed }: DiskUsage): Promise<void> {
  const { bavail, bsize, blocks } = await statfs(cacheDir);
  const room = bavail * bsize;
  // Some file systems do not report free space.
  if (blocks > 0 && room < needed)
    throw createDiskFullError({ cacheDir, needed }, `only ${formatDownloadSize(room)} are left there`);
}

export function isDiskFullError(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}

export function isPermissionError(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" || code === "EROFS";
}

function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof AssayError) && "syscall" in error && "code" in error;
}

function createDiskError(error: NodeJS.ErrnoException, place: DiskUsage): HubError {
  if (isDiskFullError(error)) return createDiskFullError(place, "the disk is full", error);
  const { cacheDir } = place;
  const cannot = error.code === "ENOENT" && error.syscall === "mkdir" ? "made" : "used";
  const what = isPermissionError(error)
    ? `The cache folder ${cacheDir} is not writable (${error.code}). Give this user permission`
    : `The cache folder ${cacheDir} cannot be ${cannot}: ${getErrorMessage(error)}. Fix it`;
  return new HubError(`${what}, ${CACHE_DIR_ADVICE}.`, { cause: error });
}

function createDiskFullError({ cacheDir, needed }: DiskUsage, why: string, cause?: unknown): HubError {
  return new HubError(
    `Not enough space in the cache folder ${cacheDir}: ${formatDownloadSize(needed)} are needed, and ${why}. Free some space, ${CACHE_DIR_ADVICE}.`,
    { cause },
  );
}
