import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { downloadFile } from "@huggingface/hub";
import { withLock } from "../../utils/index.js";
import {
  CACHE_DIR_ADVICE,
  createCacheFolder,
  findFileProblem,
  isDiskFullError,
  isPermissionError,
  requireDiskSpace,
  withDiskErrors,
} from "./cache.js";
import { createHubOfflineError, HubError, RETRY_NOW } from "./errors.js";
import { createHubFetch, RangesIgnoredError, withRetries } from "./fetch.js";
import type { HubContext } from "./hub.js";
import type { CachedFileRef } from "./resolve-file.js";

/** Downloads the whole file unless it is cached, and returns its path in the cache. */
export async function downloadWhole(context: HubContext, wanted: CachedFileRef): Promise<string> {
  const { cache, settings } = context;
  const { name, file, listing } = wanted;
  return withDiskErrors({ cacheDir: cache.dir, needed: file.size }, async () => {
    const there = await findCached(context, wanted);
    if (there !== null) return there;
    if (settings.isOffline) throw createHubOfflineError(`${name} (${listing.revision.slice(0, 12)})`);
    // Another process may have fetched it while this one waited for the lock.
    return withFileLock(
      context,
      wanted,
      async () => (await findCachedUnderLock(context, wanted)) ?? fetchFile(context, wanted),
    );
  });
}

/** Finds a complete file in the cache and removes a damaged one. */
export async function findCached(context: HubContext, wanted: CachedFileRef): Promise<string | null> {
  const path = context.cache.getBlobPath(wanted);
  const problem = await findBlobProblem(context, wanted);
  if (problem === null || problem === MISSING_PROBLEM) return problem === null ? path : null;
  try {
    // Another process may be replacing it.
    return await withFileLock(context, wanted, () => findCachedUnderLock(context, wanted));
  } catch (error) {
    throw isPermissionError(error) ? createRemoveError(wanted, path, problem, error) : error;
  }
}

async function findCachedUnderLock(context: HubContext, wanted: CachedFileRef): Promise<string | null> {
  const path = context.cache.getBlobPath(wanted);
  const problem = await findBlobProblem(context, wanted);
  if (problem === null || problem === MISSING_PROBLEM) return problem === null ? path : null;
  await rm(path, { force: true });
  const next = context.settings.isOffline ? "" : " and is fetched again";
  context.note(`${wanted.name} was damaged in the cache: ${problem}. It has been removed${next}.`);
  return null;
}

const MISSING_PROBLEM = "it is missing";

/** Checks a file in the cache. Each state of it is hashed once per process. */
async function findBlobProblem({ cache, signal }: HubContext, wanted: CachedFileRef): Promise<string | null> {
  const path = cache.getBlobPath(wanted);
  try {
    const { size, mtimeMs, ino } = await stat(path);
    const state = `${size} ${mtimeMs} ${ino}`;
    if (cache.verified.get(path) === state) return null;
    const problem = await findFileProblem(path, wanted.file, signal);
    if (problem === null) cache.verified.set(path, state);
    return problem;
  } catch (error) {
    // Another process may remove a damaged file at any moment.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return MISSING_PROBLEM;
    throw error;
  }
}

/** Runs the work under a lock between processes for this file or this part of it. */
export async function withFileLock<T>(
  { cache, ports, signal, meter }: HubContext,
  wanted: CachedFileRef,
  work: () => Promise<T>,
  part = "",
): Promise<T> {
  const path = cache.getOwnPath(wanted, `lock${part}`);
  await createCacheFolder(dirname(path));
  const sleep = (ms: number) => ports.sleep(ms, signal);
  return withLock(path, { sleep, onWait: (holder) => meter.reportWaiting(wanted.name, holder) }, work);
}

/** Opens a file of the hub as a blob whose parts are fetched on read. */
export async function openBlob(context: HubContext, wanted: CachedFileRef, onBytes: (bytes: number) => void) {
  const { listing, file } = wanted;
  const { repo, revision } = listing;
  const { endpoint } = context.settings;
  const path = file.path.split("/").map(encodeURIComponent).join("/");
  const url = `${endpoint}/datasets/${repo}/resolve/${encodeURIComponent(revision)}/${path}`;
  const hubFetch = createHubFetch(context, { about: { repo, revision, path: file.path }, onBytes });
  let problem: unknown;
  const blob = await downloadFile({
    repo: { type: "dataset", name: repo },
    path: file.path,
    revision,
    hubUrl: endpoint,
    // Saves a request: the listing has the size.
    downloadInfo: { url, size: file.size, etag: wanted.key },
    fetch: (input, init) =>
      hubFetch(input, init).catch((error: unknown) => {
        problem = error;
        throw error;
      }),
  });
  if (blob === null) throw new HubError(`${wanted.name} cannot be read.`);
  // The library's stream passes on only the message of an error.
  return { blob, explain: (error: unknown) => problem ?? error };
}

async function fetchFile(context: HubContext, wanted: CachedFileRef): Promise<string> {
  const { cache, meter, signal } = context;
  const { file, name } = wanted;
  const partial = cache.getOwnPath(wanted, "partial");
  const blob = cache.getBlobPath(wanted);
  await createCacheFolder(dirname(blob));
  await requireDiskSpace({ cacheDir: cache.dir, needed: file.size - (await getFileSize(partial)) });
  try {
    // A wrong file is fetched again once: a resumed part or a proxy may be the cause.
    for (let round = 1; ; round++) {
      await withRetries(context, () => fetchRest(context, wanted, partial), { mark: () => meter.received });
      const problem = await findFileProblem(partial, file, signal);
      if (problem === null) break;
      await rm(partial, { force: true });
      if (round === 2)
        throw new HubError(
          `${name} arrived damaged twice: ${problem}. Nothing of it was kept. Try again later; a proxy or a mirror (HF_ENDPOINT) may be altering files.`,
        );
    }
    await rename(partial, blob);
  } catch (error) {
    // Removing the partial file frees the disk for everything else.
    if (isDiskFullError(error)) await rm(partial, { force: true });
    throw error;
  }
  await cache.linkSnapshot(wanted);
  await rm(cache.getOwnPath(wanted, "parts"), { recursive: true, force: true });
  meter.reportDone(name);
  return blob;
}

/** Requests the missing rest of a partial file once and appends it. */
async function fetchRest(context: HubContext, wanted: CachedFileRef, partial: string): Promise<void> {
  const { file, name } = wanted;
  const have = await getFileSize(partial);
  const isResumed = have > 0 && have < file.size;
  if (have === file.size && have > 0) return;
  const transfer = context.meter.start(name, file.size - (isResumed ? have : 0));
  const { blob, explain } = await openBlob(context, wanted, transfer.got);
  const rest = isResumed ? blob.slice(have) : blob;
  try {
    const stream = Readable.fromWeb(rest.stream());
    await pipeline(stream, createWriteStream(partial, { flags: isResumed ? "a" : "w" }));
  } catch (thrown) {
    const error = explain(thrown);
    if (error instanceof RangesIgnoredError) {
      await rm(partial, { force: true });
      throw new HubError(`${name} could not be resumed where it was cut off.`, { cause: error, retry: RETRY_NOW });
    }
    if (!(error instanceof HubError) || error.retry === null) throw error;
    throw createIncompleteError(wanted, await getFileSize(partial), error);
  } finally {
    transfer.end();
  }
  const came = await getFileSize(partial);
  if (came < file.size) throw createIncompleteError(wanted, came);
}

function createIncompleteError({ name, file }: CachedFileRef, bytes: number, cause?: HubError): HubError {
  const why = cause === undefined ? "" : ` ${cause.message}`;
  return new HubError(
    `${name} was cut off: received ${bytes} of ${file.size} bytes.${why} They are kept: run again to resume.`,
    { cause, retry: cause?.retry ?? RETRY_NOW },
  );
}

async function getFileSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function createRemoveError({ name }: CachedFileRef, path: string, problem: string, cause: unknown): HubError {
  return new HubError(
    `${name} is damaged in the cache (${problem}), which is not writable: delete ${path}, ${CACHE_DIR_ADVICE}.`,
    { cause },
  );
}
