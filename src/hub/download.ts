import { rename, rm } from "node:fs/promises";
import { withCacheLock } from "./cache-lock.js";
import type { HubContext } from "./context.js";
import { checkRoom, isFull, onDisk } from "./disk.js";
import { HubError, offlineError } from "./errors.js";
import { fetchRest } from "./fetch-rest.js";
import { dateBack } from "./file-state.js";
import { PartialFile } from "./partial-file.js";
import { soundBlob, soundBlobUnderLock } from "./sound-blob.js";
import { writeStamp } from "./stamps.js";
import { inspectFile, type Stamp } from "./verify.js";
import type { Wanted } from "./wanted.js";
import { withRetries } from "./with-retries.js";

/** The path of the whole file in the cache, where it is fetched to unless it is there. */
export async function downloadWhole(context: HubContext, wanted: Wanted): Promise<string> {
  const { cache, settings } = context;
  const { name, file, listing } = wanted;
  return onDisk({ cacheDir: cache.dir, needed: file.size }, async () => {
    const there = await soundBlob(context, wanted);
    if (there !== null) return there;
    if (settings.isOffline) throw offlineError(`${name} (${listing.revision.slice(0, 12)})`);
    return withCacheLock(context, { wanted }, () => fetchUnlessThere(context, wanted));
  });
}

/** Whoever waited for the lock may find the file there. */
async function fetchUnlessThere(context: HubContext, wanted: Wanted): Promise<string> {
  const { cache } = context;
  const there = await soundBlobUnderLock(context, wanted);
  if (there !== null) return there;
  await cache.prepare(cache.blob(wanted.key));
  const partial = new PartialFile(cache.partial(wanted.key));
  await checkRoom({ cacheDir: cache.dir, needed: wanted.file.size - (await partial.have(wanted.file.size)).bytes });
  try {
    const stamp = await fetchVerified(context, { wanted, partial });
    return await keep(context, { wanted, partial, stamp });
  } catch (error) {
    // A disk that is full stays so for everything else until the part that came is gone.
    if (isFull(error)) await partial.remove();
    throw error;
  }
}

/** Stamped before it is in its place, where nobody finds it without its stamp. */
async function keep(
  { cache, meter }: HubContext,
  { wanted, partial, stamp }: { wanted: Wanted; partial: PartialFile; stamp: Stamp },
): Promise<string> {
  const blob = cache.blob(wanted.key);
  writeStamp(blob, stamp);
  await rename(partial.path, blob);
  await partial.remove();
  await rm(cache.pieces(wanted.key), { recursive: true, force: true });
  meter.done(wanted.name);
  return blob;
}

/** What comes out wrong is fetched anew once: a part that was resumed, or a proxy, may have been to blame. */
async function fetchVerified(
  context: HubContext,
  { wanted, partial }: { wanted: Wanted; partial: PartialFile },
): Promise<Stamp> {
  let problem = "";
  for (let round = 0; round < 2; round++) {
    await fetchAll(context, { wanted, partial });
    await dateBack(partial.path);
    const inspection = await inspectFile(partial.path, wanted.file, { signal: context.signal });
    if (inspection.problem === null) return inspection.stamp;
    problem = inspection.problem;
    await partial.remove();
  }
  throw new HubError(
    `${wanted.name} came wrong twice: ${problem}. Nothing of it was kept. Try again later; a proxy or a mirror (HF_ENDPOINT) may be altering files.`,
  );
}

async function fetchAll(
  context: HubContext,
  { wanted, partial }: { wanted: Wanted; partial: PartialFile },
): Promise<void> {
  const { ports, signal, meter } = context;
  const work = () => fetchRest(context, { wanted, partial });
  await withRetries(work, { ports, signal, mark: () => meter.received });
}
