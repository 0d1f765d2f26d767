import { MinTree } from "./min-tree.js";
import { NO_TOKEN, type TokenFinder } from "./table.js";

// Up to here finding the lowest pair by looking at all of them is cheaper than keeping a tree; measured.
const SCAN_MAX_BYTES = 64;

/** Counts the tokens into which byte pair encoding merges a pre-token: lowest rank first, leftmost among equals. */
export class PairMerger {
  readonly #finder: TokenFinder;
  readonly #starts = new Int32Array(SCAN_MAX_BYTES + 1);
  readonly #ranks = new Int32Array(SCAN_MAX_BYTES + 1);

  constructor(finder: TokenFinder) {
    this.#finder = finder;
  }

  count(bytes: Uint8Array, start: number, end: number): number {
    return end - start <= SCAN_MAX_BYTES ? this.#countByScan(bytes, start, end) : this.#countByTree(bytes, start, end);
  }

  #countByScan(bytes: Uint8Array, start: number, end: number): number {
    const finder = this.#finder;
    const starts = this.#starts;
    const ranks = this.#ranks;
    let parts = end - start;
    for (let i = 0; i < parts - 1; i++) {
      starts[i] = start + i;
      ranks[i] = finder.find(bytes, start + i, start + i + 2);
    }
    starts[parts - 1] = end - 1;
    starts[parts] = end;
    while (parts > 1) {
      const at = lowest(ranks, parts - 1);
      if (ranks[at] === NO_TOKEN) break;
      removePart(starts, ranks, at + 1, parts);
      parts--;
      if (at + 1 < parts) ranks[at] = finder.find(bytes, starts[at] ?? 0, starts[at + 2] ?? 0);
      if (at > 0) ranks[at - 1] = finder.find(bytes, starts[at - 1] ?? 0, starts[at + 1] ?? 0);
    }
    return parts;
  }

  /** The parts form a linked list by their first byte, where the tree holds the rank of each part with the next. */
  #countByTree(bytes: Uint8Array, start: number, end: number): number {
    const finder = this.#finder;
    const size = end - start;
    const next = new Int32Array(size);
    const previous = new Int32Array(size);
    const ranks = new MinTree(size, NO_TOKEN);
    for (let i = 0; i < size; i++) {
      next[i] = i + 1;
      previous[i] = i - 1;
      if (i + 1 < size) ranks.fill(i, finder.find(bytes, start + i, start + i + 2));
    }
    ranks.build();
    let parts = size;
    while (ranks.lowest() !== NO_TOKEN) {
      const left = ranks.leftmostLowest();
      const before = previous[left] ?? -1;
      const right = next[left] ?? size;
      const after = next[right] ?? size;
      next[left] = after;
      if (after < size) previous[after] = left;
      parts--;
      ranks.set(right, NO_TOKEN);
      ranks.set(left, after < size ? finder.find(bytes, start + left, start + (next[after] ?? size)) : NO_TOKEN);
      if (before >= 0) ranks.set(before, finder.find(bytes, start + before, start + after));
    }
    return parts;
  }
}

function lowest(ranks: Int32Array, pairs: number): number {
  let at = 0;
  let rank = ranks[0] ?? NO_TOKEN;
  for (let i = 1; i < pairs; i++) {
    const other = ranks[i] ?? NO_TOKEN;
    if (other < rank) {
      rank = other;
      at = i;
    }
  }
  return at;
}

/** A plain loop: copyWithin costs more than it saves on the dozen parts of a word. */
function removePart(starts: Int32Array, ranks: Int32Array, at: number, parts: number): void {
  for (let i = at; i < parts; i++) {
    starts[i] = starts[i + 1] ?? 0;
    ranks[i] = ranks[i + 1] ?? 0;
  }
}
