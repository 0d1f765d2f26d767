/** A sequence of symbols, each a small whole number. */
export type Symbols = Int32Array;

/**
 * Where each symbol occurs in a sequence, as bits: one entry for every word of 32 places that holds the symbol, in
 * ascending order. Memory grows with the sequence and the number of symbols, never with their product.
 */
export class BitMasks {
  /** The entries of a symbol go from `first` to before `end`, two numbers each: the word, and the bits in it. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  entries = new Int32Array(0);
  /** The sequence that is loaded, and how many words it takes. */
  sequence: Symbols = new Int32Array(0);
  words = 0;

  constructor(symbols: number) {
    this.first = new Int32Array(symbols);
    this.end = new Int32Array(symbols);
  }

  /** Takes a sequence instead of the one before. */
  load(sequence: Symbols): this {
    for (const symbol of this.sequence) this.first[symbol] = this.end[symbol] = 0;
    this.sequence = sequence;
    this.words = (sequence.length + 31) >>> 5;
    if (this.entries.length < 2 * sequence.length) this.entries = new Int32Array(2 * sequence.length);
    this.#reserve();
    for (let place = 0; place < sequence.length; place++) this.#put(sequence[place] ?? 0, place);
    return this;
  }

  /** Gives each symbol room for as many entries as it has places, side by side: they are read more often than written. */
  #reserve(): void {
    const { first, end, sequence } = this;
    for (const symbol of sequence) end[symbol] = (end[symbol] ?? 0) - 2;
    let room = 0;
    for (const symbol of sequence) {
      const size = -(end[symbol] ?? 0);
      if (size <= 0) continue;
      first[symbol] = end[symbol] = room;
      room += size;
    }
  }

  #put(symbol: number, place: number): void {
    const { first, end, entries } = this;
    const at = end[symbol] ?? 0;
    const bit = 1 << (place & 31);
    if (at > (first[symbol] ?? 0) && entries[at - 2] === place >>> 5) {
      entries[at - 1] = (entries[at - 1] ?? 0) | bit;
      return;
    }
    entries[at] = place >>> 5;
    entries[at + 1] = bit;
    end[symbol] = at + 2;
  }
}
