import { BitMasks, type Symbols } from "../bit-masks.js";

/** So many words of rows are kept in finding places; where there are more, most rows are computed a second time. */
const KEPT_WORDS = 1 << 16;

/**
 * The longest common subsequence of a sequence with others, 32 places at a time: a row has a 0 bit for each place of
 * the sequence at which the common length grows by one. A symbol changes only the words in which it occurs and the one
 * at which a carry ends, so that texts with few words in common take next to no time.
 */
export class CommonSubsequence {
  /** Every symbol is below this number. */
  readonly symbols: number;
  readonly #masks: BitMasks;
  /** Kept from call to call: a summary has many lines, and allocating would take longer than the work. */
  #rows = new Int32Array(0);

  constructor(symbols: number) {
    this.symbols = symbols;
    this.#masks = new BitMasks(symbols);
  }

  /** Takes the sequence that others are compared with. */
  load(sequence: Symbols): this {
    this.#masks.load(sequence);
    return this;
  }

  /** The length of the longest common subsequence. */
  length(other: Symbols): number {
    const row = this.#firstRow(1);
    for (const symbol of other) advance(this.#masks, symbol, row, 0);
    return zeros(row, 0, this.#masks.words);
  }

  /**
   * Marks the places of the loaded sequence that belong to one longest common subsequence, the one found from the end:
   * equal symbols are paired; else the other sequence is shortened where that keeps the length and shortening this one
   * does not; else this one is shortened. Gives how many places were not marked before.
   */
  mark(other: Symbols, marked: Uint8Array): number {
    const path: Path = { place: this.#masks.sequence.length - 1, added: 0 };
    const block = Math.ceil(Math.max(KEPT_WORDS / Math.max(1, this.#masks.words), Math.sqrt(other.length)));
    const rows = this.#firstRow(Math.min(block, other.length) + 1);
    const starts = other.length > block ? this.#startsOfBlocks(other, block) : [];
    if (starts.length === 0) this.#markBlock(other, marked, path);
    for (let start = starts.length - 1; start >= 0; start--) {
      rows.set(starts[start] ?? []);
      this.#markBlock(other.subarray(start * block, (start + 1) * block), marked, path);
    }
    return path.added;
  }

  /** Room for so many rows; the first one is that of an empty sequence. */
  #firstRow(count: number): Int32Array {
    const { words } = this.#masks;
    if (this.#rows.length < count * words) this.#rows = new Int32Array(count * words);
    return this.#rows.fill(-1, 0, words);
  }

  /** The row before each block of symbols. */
  #startsOfBlocks(other: Symbols, block: number): Int32Array[] {
    const starts: Int32Array[] = [];
    for (let at = 0; at < other.length; at++) {
      if (at % block === 0) starts.push(this.#rows.slice(0, this.#masks.words));
      advance(this.#masks, other[at] ?? 0, this.#rows, 0);
    }
    return starts;
  }

  #markBlock(symbols: Symbols, marked: Uint8Array, path: Path): void {
    const { words } = this.#masks;
    this.#fillRows(symbols);
    // Without a 0 bit there has been nothing in common up to here.
    if (zeros(this.#rows, symbols.length * words, words) > 0) this.#goBack(symbols, marked, path);
  }

  /** Computes the row after each symbol from the first row. */
  #fillRows(symbols: Symbols): void {
    const rows = this.#rows;
    const { words } = this.#masks;
    for (let at = 0; at < symbols.length; at++) {
      const from = (at + 1) * words;
      if (words === 1) rows[from] = rows[from - 1] ?? 0;
      else rows.copyWithin(from, from - words, from);
      advance(this.#masks, symbols[at] ?? 0, rows, from);
    }
  }

  #goBack(symbols: Symbols, marked: Uint8Array, path: Path): void {
    const { sequence, words } = this.#masks;
    const rows = this.#rows;
    let { place } = path;
    let at = symbols.length - 1;
    while (place >= 0 && at >= 0) {
      if (sequence[place] === symbols[at]) {
        if (marked[place] === 0) path.added += 1;
        marked[place--] = 1;
        at -= 1;
      } else if ((((rows[(at + 1) * words + (place >>> 5)] ?? 0) >>> (place & 31)) & 1) === 0) at -= 1;
      else place -= 1;
    }
    path.place = place;
  }
}

/** Where the way back has come to, and how many places it has marked. */
interface Path {
  place: number;
  added: number;
}

/** Turns the row into that after one more symbol of the other sequence: (row + (row & bits)) | (row & ~bits). */
function advance({ first, end, entries, words }: BitMasks, symbol: number, rows: Int32Array, start: number): void {
  const last = end[symbol] ?? 0;
  let carry = 0;
  let at = start;
  for (let entry = first[symbol] ?? 0; entry < last; entry += 2) {
    const to = start + (entries[entry] ?? 0);
    // Between, the symbol does not occur: the carry runs through words of ones and ends at the first 0 bit.
    for (; carry !== 0 && at < to; at++) carry = carryOne(rows, at);
    const bits = entries[entry + 1] ?? 0;
    const old = rows[to] ?? 0;
    const met = old & bits;
    const sum = (old + met + carry) | 0;
    carry = (met | (old & ~sum)) >>> 31;
    rows[to] = sum | (old & ~bits);
    at = to + 1;
  }
  for (; carry !== 0 && at < start + words; at++) carry = carryOne(rows, at);
}

function carryOne(rows: Int32Array, at: number): number {
  const old = rows[at] ?? 0;
  if (old === -1) return 1;
  rows[at] = old | (old + 1);
  return 0;
}

function zeros(rows: Int32Array, from: number, words: number): number {
  let count = 0;
  for (let at = from; at < from + words; at++) count += bitCount(~(rows[at] ?? 0));
  return count;
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
