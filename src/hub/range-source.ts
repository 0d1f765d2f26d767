import { type ByteSource, openBytes } from "../files/byte-source.js";
import { withCacheLock } from "./cache-lock.js";
import type { HubContext } from "./context.js";
import { onDisk } from "./disk.js";
import { downloadWhole } from "./download.js";
import { offlineError } from "./errors.js";
import { PieceStore } from "./piece-store.js";
import { RangeRequest } from "./range-request.js";
import { soundBlob } from "./sound-blob.js";
import type { Wanted } from "./wanted.js";

/** Below this size one request for the whole file, which can be verified, costs no more than a few for its parts. */
const SMALL_BYTES = 64 * 1024;

/** A file of the hub as bytes: from the cache when it is there whole, else by range. */
export async function openRanges(context: HubContext, wanted: Wanted): Promise<ByteSource> {
  const { cache, settings } = context;
  const { file, name } = wanted;
  return onDisk({ cacheDir: cache.dir, needed: file.size }, async () => {
    const there = await soundBlob(context, wanted);
    if (there !== null) return openBytes(there, name);
    const isCheap = file.size <= SMALL_BYTES && !settings.isOffline;
    if (isCheap) return openBytes(await downloadWhole(context, wanted), name);
    return RangeSource.open(context, wanted);
  });
}

interface Fetch {
  readonly start: number;
  readonly end: number;
  readonly done: Promise<void>;
}

class RangeSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly #context: HubContext;
  readonly #wanted: Wanted;
  readonly #pieces: PieceStore;
  readonly #request: RangeRequest;
  /** What is on its way, so that reads that overlap wait for each other instead of fetching twice. */
  readonly #fetches = new Set<Fetch>();
  /** The whole file, once it is known that the server gives no parts. */
  #whole: Promise<ByteSource> | null = null;

  static async open(context: HubContext, wanted: Wanted): Promise<RangeSource> {
    const source = new RangeSource(context, wanted);
    await source.#pieces.refresh();
    if (context.settings.isOffline && source.#pieces.isEmpty) throw offlineError(wanted.name);
    return source;
  }

  private constructor(context: HubContext, wanted: Wanted) {
    this.name = wanted.name;
    this.size = wanted.file.size;
    this.#context = context;
    this.#wanted = wanted;
    this.#pieces = new PieceStore(context.cache, wanted.key);
    this.#request = new RangeRequest(context, wanted);
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const from = Math.max(0, start);
    const to = Math.min(end, this.size);
    if (from >= to) return new Uint8Array();
    const place = { cacheDir: this.#context.cache.dir, needed: to - from };
    return onDisk(place, () => this.#gather(from, to));
  }

  async close(): Promise<void> {
    this.#context.meter.done(this.name);
    await (await this.#whole)?.close?.();
  }

  async #gather(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    let at = start;
    while (at < end) {
      if (this.#whole !== null) return (await this.#whole).read(start, end);
      const piece = this.#pieces.at(at);
      if (piece === undefined) {
        await this.#obtain(at, end);
        continue;
      }
      const to = Math.min(end, piece.end);
      const part = await this.#pieces.read(piece, at, to);
      if (part === null) continue;
      bytes.set(part, at - start);
      at = to;
    }
    return bytes;
  }

  /** Sees to it that the byte at `start` is there, and as many after it, up to `end`, as are neither there nor coming. */
  async #obtain(start: number, end: number): Promise<void> {
    const coming = [...this.#fetches];
    const same = coming.find((fetch) => fetch.start <= start && start < fetch.end);
    if (same !== undefined) return same.done;
    const later = coming.map((fetch) => fetch.start).filter((other) => other > start);
    const to = Math.min(end, this.#pieces.nextStart(start), ...later);
    const fetch = { start, end: to, done: this.#fetch(start, to) };
    this.#fetches.add(fetch);
    try {
      await fetch.done;
    } finally {
      this.#fetches.delete(fetch);
    }
  }

  async #fetch(start: number, end: number): Promise<void> {
    const wanted = this.#wanted;
    const commit = wanted.listing.revision.slice(0, 12);
    if (this.#context.settings.isOffline) throw offlineError(`This part of ${this.name} (${commit})`);
    await withCacheLock(this.#context, { wanted, range: { start, end } }, async () => {
      await this.#pieces.refresh();
      if (this.#pieces.at(start) === undefined) await this.#keep(start, end);
    });
  }

  async #keep(start: number, end: number): Promise<void> {
    const bytes = await this.#request.fetch(start, end);
    if (bytes !== null) return this.#pieces.add(start, bytes);
    this.#whole ??= downloadWhole(this.#context, this.#wanted).then((path) => openBytes(path, this.name));
    await this.#whole;
  }
}
