import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, statfs, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { AssayError, getErrorMessage } from "../../core/index.js";
import { writeAtomically } from "../../utils/index.js";
import { formatDownloadSize, HubError } from "./errors.js";
import type { HubFile, HubListing } from "./hub.js";
import type { CachedFileRef } from "./resolve-file.js";

const CHUNK_BYTES = 1 << 20;

/**
 * The cache of the hub's own tools: `datasets--owner--name` with `blobs` by hash, `snapshots` of links to them and `refs`.
 * Assay's own data (file lists, partial files, locks) is in a folder `.assay` of each repository.
 */
export class HubCache {
  readonly dir: string;
  /** State of each file when this process hashed it; unchanged files are not hashed again. */
  readonly verified = new Map<string, string>();

  constructor(dir: string) {
    this.dir = dir;
  }

  getBlobPath({ listing, key }: CachedFileRef): string {
    return join(this.#getRepoDir(listing.repo), "blobs", key);
  }

  /** Path for a file's parts and locks during a download; `name` is below the file's key. */
  getOwnPath({ listing, key }: CachedFileRef, name: string): string {
    return join(this.#getRepoDir(listing.repo), ".assay", "files", key, name);
  }

  /** The listing in the cache, without asking the hub. */
  readListing(repo: string, revision: string): HubListing | null {
    const ref = isCommit(revision) ? { repo, commit: revision } : this.#readRef(repo, revision);
    return ref === null ? null : parseStoredListing(readCachedJson(this.#getListingPath(ref)));
  }

  /** Stores a listing and the branch it belongs to. Only writes new files, so that a complete cache may be read-only. */
  async storeListing(listing: HubListing, asked: { repo: string; revision: string }): Promise<void> {
    const ref = { repo: listing.repo, commit: listing.revision };
    await writeIfAbsent(this.#getListingPath(ref), JSON.stringify(listing));
    if (isCommit(asked.revision)) return;
    await writeIfAbsent(this.#getRefPath(asked.repo, asked.revision), JSON.stringify(ref));
    await writeIfAbsent(join(this.#getRepoDir(asked.repo), "refs", asked.revision), ref.commit);
  }

  /** Lets the hub's own tools find the file by name and commit. */
  async linkSnapshot({ listing, file, ...wanted }: CachedFileRef): Promise<void> {
    if (wanted.key.startsWith("at-")) return;
    const link = join(this.#getRepoDir(listing.repo), "snapshots", listing.revision, file.path);
    try {
      await createCacheFolder(dirname(link));
      await symlink(relative(dirname(link), this.getBlobPath({ listing, file, ...wanted })), link);
    } catch {
      // The link exists, or links are not supported: nothing here depends on it.
    }
  }

  #readRef(repo: string, revision: string): { repo: string; commit: string } | null {
    const { repo: now, commit } = (readCachedJson(this.#getRefPath(repo, revision)) ?? {}) as Record<string, unknown>;
    return typeof now === "string" && typeof commit === "string" && isCommit(commit) ? { repo: now, commit } : null;
  }

  #getRepoDir(repo: string): string {
    return join(this.dir, `datasets--${repo.replaceAll("/", "--")}`);
  }

  #getRefPath(repo: string, revision: string): string {
    return join(this.#getRepoDir(repo), ".assay", "refs", `${encodeURIComponent(revision)}.json`);
  }

  #getListingPath({ repo, commit }: { repo: string; commit: string }): string {
    return join(this.#getRepoDir(repo), ".assay", "listings", `${commit}.json`);
  }
}

/**
 * Creates a folder and its parents. Node 20's recursive mkdir reports a missing folder on a read-only disk, and never
 * returns in /proc.
 */
export async function createCacheFolder(path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    await createCacheFolder(dirname(path));
    await make();
  });
}

/** Whether it is a full commit hash, which never changes its meaning. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

/** Compares a local file with the hub's size and checksum; null if they match. */
export async function findFileProblem(path: string, file: HubFile, signal?: AbortSignal): Promise<string | null> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    if (size !== file.size) return `it has ${size} bytes instead of ${file.size}`;
    const wanted = file.sha256 ?? file.gitSha1;
    if (wanted === undefined) return null;
    const hash = file.sha256 === undefined ? createHash("sha1").update(`blob ${size}\0`) : createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunk.length);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
    }
    const found = hash.digest("hex");
    return found === wanted ? null : `its checksum is ${found.slice(0, 12)}… instead of ${wanted.slice(0, 12)}…`;
  } finally {
    await handle.close();
  }
}

async function writeIfAbsent(path: string, text: string): Promise<void> {
  if (tryReadCacheText(path) === text) return;
  await createCacheFolder(dirname(path));
  writeAtomically(path, text);
}

function parseStoredListing(value: unknown): HubListing | null {
  const { repo, revision, files } = (value ?? {}) as Partial<HubListing>;
  const isWhole = typeof repo === "string" && typeof revision === "string" && Array.isArray(files);
  return isWhole ? { repo, revision, files } : null;
}

/** An unreadable file counts as missing and is fetched again. */
function readCachedJson(path: string): unknown {
  try {
    return JSON.parse(tryReadCacheText(path) ?? "");
  } catch {
    return null;
  }
}

function tryReadCacheText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

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
