const RECORD_BITS = 6;
const RECORD_BYTES = 1 << RECORD_BITS;
const RECORDS = 1 << 13;

/** The longest pre-token that is kept: a record is its length, its count and its bytes. */
export const MAX_CACHED_BYTES = RECORD_BYTES - 2;

/**
 * Remembers the counts of short pre-tokens that are more than one token, because text repeats its words. Each hash has
 * one place and the newest wins it: bounded, no eviction work and no strings.
 */
export class PieceCache {
  readonly #records = new Uint8Array(RECORDS * RECORD_BYTES);

  /** The count of the bytes from `start` to `end`; when it is not known, 0, and `keep` with the same hash must follow. */
  getOrClaim(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const records = this.#records;
    const at = recordAt(hash);
    if (this.#holds(at, bytes, start, end)) return records[at + 1] ?? 0;
    records[at] = end - start;
    records[at + 1] = 0;
    for (let i = start, j = at + 2; i < end; i++, j++) records[j] = bytes[i] ?? 0;
    return 0;
  }

  /** Completes what `getOrClaim` began. */
  keep(hash: number, count: number): void {
    this.#records[recordAt(hash) + 1] = count;
  }

  #holds(at: number, bytes: Uint8Array, start: number, end: number): boolean {
    const records = this.#records;
    if (records[at] !== end - start) return false;
    for (let i = start, j = at + 2; i < end; i++, j++) if (records[j] !== bytes[i]) return false;
    return true;
  }
}

function recordAt(hash: number): number {
  return (hash & (RECORDS - 1)) << RECORD_BITS;
}
