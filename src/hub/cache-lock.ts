import type { HubContext } from "./context.js";
import { withLock } from "./lock.js";
import type { Wanted } from "./wanted.js";

interface CacheLock {
  readonly wanted: Wanted;
  /** The bytes it is about; the whole file unless given. */
  readonly range?: { readonly start: number; readonly end: number };
}

/** Does the work while no other process does the same for this file, or for this part of it. */
export async function withCacheLock<T>(
  { cache, ports, signal, meter }: HubContext,
  { wanted, range }: CacheLock,
  work: () => Promise<T>,
): Promise<T> {
  const path = cache.lock(range === undefined ? wanted.key : `${wanted.key}.${range.start}-${range.end}`);
  await cache.prepare(path);
  const sleep = (ms: number) => ports.sleep(ms, signal);
  const onWait = (holder: string) => meter.waiting(wanted.name, holder);
  return withLock(path, { sleep, onWait }, work);
}
