import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ByteSource, openLocalBytes, writeAtomically } from "../../utils/index.js";
import { createCacheFolder, withDiskErrors } from "./cache.js";
import { downloadWhole, findCached, openBlob, withFileLock } from "./download.js";
import { createHubOfflineError, HubError, RETRY_NOW } from "./errors.js";
import { RangesIgnoredError, withRetries } from "./fetch.js";
import type { HubContext } from "./hub.js";
import type { CachedFileRef } from "./resolve-file.js";

/** Below this size, one request for the whole file, which can be verified, costs no more than several ranges. */
const MIN_RANGE_BYTES = 64 * 1024;

/** Opens a file of the hub as bytes: from the cache if it is complete there, else by range. */
export async function openRanges(context: HubContext, wanted: CachedFileRef): Promise<ByteSource> {
  const { cache, settings } = context;
  const { file, name } = wanted;
  return withDiskErrors({ cacheDir: cache.dir, needed: file.size }, async () => {
    const there = await findCached(context, wanted);
    if (there !== null) return openLocalBytes(there, name);
    const isCheap = file.size <= MIN_RANGE_BYTES && !settings.isOffline;
    if (isCheap) return openLocalBytes(await downloadWhole(context, wanted), name);
    const source = new RangeSource(context, wanted);
    if (settings.isOffline && (await source.listParts()).length === 0) throw createHubOfflineError(name);
    return source;
  });
}

/** A cached range, in a file whose name states its position and hash. */
interface StoredRange {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

class RangeSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly #context: HubContext;
  readonly #wanted: CachedFileRef;
  readonly #dir: string;
  /** Ranges being fetched, so that overlapping reads wait instead of fetching twice. */
  readonly #fetches = new Map<Promise<void>, { readonly start: number; readonly end: number }>();
  /** The whole file, if the server does not support ranges. */
  #whole: Promise<ByteSource> | null = null;

  constructor(context: HubContext, wanted: CachedFileRef) {
    this.name = wanted.name;
    this.size = wanted.file.size;
    this.#context = context;
    this.#wanted = wanted;
    this.#dir = context.cache.getOwnPath(wanted, "parts");
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const [from, to] = [Math.max(0, start), Math.min(end, this.size)];
    if (from >= to) return new Uint8Array();
    return withDiskErrors({ cacheDir: this.#context.cache.dir, needed: to - from }, () => this.#readRange(from, to));
  }

  async close(): Promise<void> {
    this.#context.meter.reportDone(this.name);
    await (await this.#whole)?.close?.();
  }

  /** Read anew each time, since other processes add ranges. */
  async listParts(): Promise<StoredRange[]> {
    const names = await readdir(this.#dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names.flatMap((name) => {
      const [, start, end] = /^(\d+)-(\d+)-[0-9a-f]{64}$/.exec(name) ?? [];
      return start === undefined ? [] : [{ start: Number(start), end: Number(end), name }];
    });
  }

  async #readRange(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    let parts = await this.listParts();
    for (let at = start; at < end; ) {
      if (this.#whole !== null) return (await this.#whole).read(start, end);
      const part = parts.filter((each) => each.start <= at && at < each.end).sort((a, b) => b.end - a.end)[0];
      const content = part === undefined ? null : await this.#readPart(part);
      if (part === undefined || content === null) {
        parts = parts.filter((each) => each !== part);
        const next = Math.min(end, ...parts.map((each) => each.start).filter((other) => other > at));
        await this.#ensureRange(at, next);
        parts = await this.listParts();
        continue;
      }
      const to = Math.min(end, part.end);
      bytes.set(content.subarray(at - part.start, to - part.start), at - start);
      at = to;
    }
    return bytes;
  }

  /** Reads a cached range; null if it is damaged or gone, in which case it is removed. */
  async #readPart({ name, start, end }: StoredRange): Promise<Uint8Array | null> {
    const path = join(this.#dir, name);
    const content = await readFile(path).catch(() => null);
    if (content?.length === end - start && name.endsWith(hashRange(content))) return content;
    await rm(path, { recursive: true, force: true });
    return null;
  }

  /** Ensures that the byte at `start` is cached, and as many after it as are neither cached nor being fetched. */
  async #ensureRange(start: number, end: number): Promise<void> {
    let to = end;
    for (const [done, fetch] of this.#fetches) {
      if (fetch.start <= start && start < fetch.end) return done;
      if (fetch.start > start) to = Math.min(to, fetch.start);
    }
    const done = this.#fetch(start, to);
    this.#fetches.set(done, { start, end: to });
    try {
      await done;
    } finally {
      this.#fetches.delete(done);
    }
  }

  async #fetch(start: number, end: number): Promise<void> {
    const { settings } = this.#context;
    const commit = this.#wanted.listing.revision.slice(0, 12);
    if (settings.isOffline) throw createHubOfflineError(`This part of ${this.name} (${commit})`);
    const work = async () => {
      const parts = await this.listParts();
      if (parts.some((part) => part.start <= start && end <= part.end)) return;
      const bytes = await this.#request(start, end);
      await createCacheFolder(this.#dir);
      writeAtomically(join(this.#dir, `${start}-${end}-${hashRange(bytes)}`), bytes);
    };
    await withFileLock(this.#context, this.#wanted, work, `.${start}-${end}`).catch(async (error: unknown) => {
      if (!(error instanceof RangesIgnoredError)) throw error;
      this.#whole ??= downloadWhole(this.#context, this.#wanted).then((path) => openLocalBytes(path, this.name));
      await this.#whole;
    });
  }

  async #request(start: number, end: number): Promise<Uint8Array> {
    const context = this.#context;
    return withRetries(context, async () => {
      const transfer = context.meter.start(this.name, end - start);
      try {
        const { blob } = await openBlob(context, this.#wanted, transfer.got);
        const bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
        if (bytes.length === end - start) return bytes;
        throw new HubError(`A range of ${this.name} was cut off. Try again.`, { retry: RETRY_NOW });
      } finally {
        transfer.end();
      }
    });
  }
}

function hashRange(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
