import { BitMasks, type Symbols } from "./bit-masks.js";
import { withoutSharedEnds } from "./shared-ends.js";

/**
 * How many symbols must be put in, taken out or replaced to turn one sequence into the other: Myers' algorithm, 32
 * places at a time. Memory grows with the sequences, never with their product.
 */
export function editDistance(left: Symbols, right: Symbols, symbols: number): number {
  const [a, b] = withoutSharedEnds(left, right).rest;
  if (a.length === 0 || b.length === 0) return Math.max(a.length, b.length);
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  return new Columns(new BitMasks(symbols).load(longer)).distanceTo(shorter);
}

/**
 * One column of the table of distances, by its steps from place to place: a bit in `up` where the distance grows by
 * one, in `down` where it falls by one.
 */
class Columns {
  readonly #masks: BitMasks;
  readonly #up: Int32Array;
  readonly #down: Int32Array;

  constructor(masks: BitMasks) {
    this.#masks = masks;
    this.#up = new Int32Array(masks.words).fill(-1);
    this.#down = new Int32Array(masks.words);
  }

  distanceTo(other: Symbols): number {
    let distance = this.#masks.sequence.length;
    for (const symbol of other) distance += this.#advance(symbol);
    return distance;
  }

  /** Goes on to the next column; gives the change of the distance at the last place, -1, 0 or 1. */
  #advance(symbol: number): number {
    const { first, end, entries, words, sequence } = this.#masks;
    const up = this.#up;
    const down = this.#down;
    const lastEntry = end[symbol] ?? 0;
    const lastBit = (sequence.length - 1) & 31;
    let entry = first[symbol] ?? 0;
    // The step from column to column above the word: at the top, every further symbol is one more to put in.
    let rise = 1;
    let fall = 0;
    for (let word = 0; word < words; word++) {
      const isHere = entry < lastEntry && entries[entry] === word;
      const matches = isHere ? (entries[entry + 1] ?? 0) : 0;
      if (isHere) entry += 2;
      const oldUp = up[word] ?? 0;
      const oldDown = down[word] ?? 0;
      const still = matches | oldDown;
      const met = matches | fall;
      const level = ((((met & oldUp) + oldUp) | 0) ^ oldUp) | met;
      const rises = oldDown | ~(level | oldUp);
      const falls = oldUp & level;
      const shiftedRises = (rises << 1) | rise;
      const shiftedFalls = (falls << 1) | fall;
      up[word] = shiftedFalls | ~(still | shiftedRises);
      down[word] = shiftedRises & still;
      const top = word === words - 1 ? lastBit : 31;
      rise = (rises >>> top) & 1;
      fall = (falls >>> top) & 1;
    }
    return rise - fall;
  }
}
