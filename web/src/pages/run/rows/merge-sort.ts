/** Sorted at once at first: small enough for one step. */
const RUN_LENGTH = 2048;
const MERGED_AT_ONCE = 8192;

type Compare = (a: number, b: number) => number;

/** Sorts places by a total order. Gives way every few thousand of them: see `inSlices`. */
export function* mergeSort(places: Uint32Array, compare: Compare): Generator<void, Uint32Array> {
  let from = places.slice();
  for (let start = 0; start < from.length; start += RUN_LENGTH) {
    from.subarray(start, start + RUN_LENGTH).sort(compare);
    yield;
  }
  let to = new Uint32Array(from.length);
  for (let width = RUN_LENGTH; width < from.length; width *= 2) {
    yield* mergePass({ from, to, width, compare });
    [from, to] = [to, from];
  }
  return from;
}

interface Pass {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** How long the pieces are that are in order already. */
  readonly width: number;
  readonly compare: Compare;
}

function* mergePass({ from, to, width, compare }: Pass): Generator<void> {
  const { length } = from;
  for (let start = 0; start < length; start += 2 * width) {
    const [middle, end] = [Math.min(start + width, length), Math.min(start + 2 * width, length)];
    let [left, right] = [start, middle];
    for (let out = start; out < end; out++) {
      const isLeft = right >= end || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
      to[out] = from[isLeft ? left++ : right++] ?? 0;
      if (out % MERGED_AT_ONCE === MERGED_AT_ONCE - 1) yield;
    }
  }
}
