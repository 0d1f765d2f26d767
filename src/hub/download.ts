import { rename, rm } from "node:fs/promises";
import type { HubContext } from "./context.js";
import { checkRoom, isFull, makeFolderOf, onDisk } from "./disk.js";
import { HubError, offlineError } from "./errors.js";
import { fetchRest } from "./fetch-rest.js";
import { withLock } from "./lock.js";
import { PartialFile } from "./partial-file.js";
import { problemWithFile } from "./verify.js";
import type { Wanted } from "./wanted.js";
import { withRetries } from "./with-retries.js";

/** The path of the whole file in the cache, where it is fetched to unless it is there. */
export async function downloadWhole(context: HubContext, wanted: Wanted): Promise<string> {
  const { cache, ports, settings, meter, signal } = context;
  const { key, name, file } = wanted;
  return onDisk({ cacheDir: cache.dir, needed: file.size }, async () => {
    if (await cache.hasBlob(key, file.size)) return cache.blob(key);
    if (settings.isOffline) throw offlineError(`${name} (${wanted.listing.revision.slice(0, 12)})`);
    await makeFolderOf(cache.lock(key));
    const sleep = (ms: number) => ports.sleep(ms, signal);
    const onWait = (holder: string) => meter.waiting(name, holder);
    return withLock(cache.lock(key), { sleep, onWait }, () => fetchUnlessThere(context, wanted));
  });
}

/** Whoever waited for the lock may find the file there. */
async function fetchUnlessThere(context: HubContext, wanted: Wanted): Promise<string> {
  const { cache, meter } = context;
  const blob = cache.blob(wanted.key);
  if (await cache.hasBlob(wanted.key, wanted.file.size)) return blob;
  await makeFolderOf(blob);
  const partial = new PartialFile(cache.partial(wanted.key));
  await checkRoom({ cacheDir: cache.dir, needed: wanted.file.size - (await partial.have(wanted.file.size)).bytes });
  try {
    await fetchVerified(context, { wanted, partial });
  } catch (error) {
    // A disk that is full stays so for everything else until the part that came is gone.
    if (isFull(error)) await partial.remove();
    throw error;
  }
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
): Promise<void> {
  let problem: string | null = null;
  for (let round = 0; round < 2; round++) {
    await fetchAll(context, { wanted, partial });
    problem = await problemWithFile(partial.path, wanted.file);
    if (problem === null) return;
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
