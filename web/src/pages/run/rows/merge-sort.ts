/** Sorted at once at first: small enough for one step. */
const SORTED_RUN_LENGTH = 2048;
const MERGES_PER_STEP = 8192;

export type RowComparator = (a: number, b: number) => number;

/** Sorts places by a total order. Gives way every few thousand of them: see `runInSlices`. */
export function* mergeSort(places: Uint32Array, compare: RowComparator): Generator<void, Uint32Array> {
  let from = places.slice();
  for (let start = 0; start < from.length; start += SORTED_RUN_LENGTH) {
    from.subarray(start, start + SORTED_RUN_LENGTH).sort(compare);
    yield;
  }
  let to = new Uint32Array(from.length);
  for (let width = SORTED_RUN_LENGTH; width < from.length; width *= 2) {
    yield* mergePass({ from, to, width, compare });
    [from, to] = [to, from];
  }
  return from;
}

interface MergePass {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** How long the pieces are that are in order already. */
  readonly width: number;
  readonly compare: RowComparator;
}

function* mergePass({ from, to, width, compare }: MergePass): Generator<void> {
  const { length } = from;
  for (let start = 0; start < length; start += 2 * width) {
    const [middle, end] = [Math.min(start + width, length), Math.min(start + 2 * width, length)];
    let [left, right] = [start, middle];
    for (let out = start; out < end; out++) {
      const isLeft = right >= end || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
      to[out] = from[isLeft ? left++ : right++] ?? 0;
      if (out % MERGES_PER_STEP === MERGES_PER_STEP - 1) yield;
    }
  }
}
