import { rm } from "node:fs/promises";
import { withCacheLock } from "./cache-lock.js";
import type { HubContext } from "./context.js";
import { ADVICE, isForbidden } from "./disk.js";
import { HubError } from "./errors.js";
import { removeStamp } from "./stamps.js";
import type { Wanted } from "./wanted.js";

/** The path of a file that is whole in the cache; null when it is not. One that is damaged is thrown away. */
export async function soundBlob(context: HubContext, wanted: Wanted): Promise<string | null> {
  const { cache, blobs } = context;
  const path = cache.blob(wanted.key);
  const finding = await blobs.look(path, wanted.file);
  if (finding.kind !== "damaged") return finding.kind === "sound" ? path : null;
  try {
    // Another process may be putting a sound one in its place.
    return await withCacheLock(context, { wanted }, () => soundBlobUnderLock(context, wanted));
  } catch (error) {
    throw isForbidden(error) ? cannotThrowAway({ wanted, path, problem: finding.problem }, error) : error;
  }
}

/** The same for whoever holds the file's lock. */
export async function soundBlobUnderLock(context: HubContext, wanted: Wanted): Promise<string | null> {
  const { cache, blobs, note, settings } = context;
  const path = cache.blob(wanted.key);
  const finding = await blobs.look(path, wanted.file);
  if (finding.kind !== "damaged") return finding.kind === "sound" ? path : null;
  await rm(path, { force: true });
  removeStamp(path);
  blobs.forget(path);
  const next = settings.isOffline ? "" : " and is fetched again";
  note(`${wanted.name} was damaged in the cache: ${finding.problem}. It has been thrown away${next}.`);
  return null;
}

function cannotThrowAway(
  { wanted, path, problem }: { wanted: Wanted; path: string; problem: string },
  cause: unknown,
): HubError {
  return new HubError(
    `${wanted.name} is damaged in the cache (${problem}), which may not be written: delete ${path}, ${ADVICE}.`,
    { cause },
  );
}
