/** The words of a text as numbers. */
export type Symbols = Int32Array;

/** Finds the length of the longest common subsequence of two sequences. */
export function countCommon(a: Symbols, b: Symbols): number {
  return fillTable(a, b, null);
}

/**
 * Marks the places of a sequence that belong to one longest common subsequence with another, the one that Google's
 * rouge_score finds from the end: equal symbols are paired; else the other sequence is shortened where that keeps more
 * than shortening this one; else this one is shortened.
 */
export function markCommon(sequence: Symbols, other: Symbols, marked: Uint8Array): void {
  // Bits, because a byte for each cell of ten thousand words by ten thousand would take 100 MB.
  const shortensOther = new Uint8Array(Math.ceil((sequence.length * other.length) / 8));
  if (fillTable(sequence, other, shortensOther) === 0) return;
  let place = sequence.length - 1;
  let at = other.length - 1;
  while (place >= 0 && at >= 0) {
    const cell = place * other.length + at;
    if (sequence[place] === other[at]) {
      marked[place--] = 1;
      at -= 1;
    } else if (((shortensOther[Math.floor(cell / 8)] ?? 0) & (1 << (cell % 8))) !== 0) at -= 1;
    else place -= 1;
  }
}

/** Computes the usual table row by row, and sets a bit for each cell whose value comes from the one to its left alone. */
function fillTable(sequence: Symbols, other: Symbols, fromLeft: Uint8Array | null): number {
  const row = new Int32Array(other.length);
  let cell = 0;
  for (const symbol of sequence) {
    let left = 0;
    let diagonal = 0;
    for (let at = 0; at < other.length; at++, cell++) {
      const above = row[at] ?? 0;
      if (symbol === other[at]) left = diagonal + 1;
      else if (left <= above) left = above;
      else if (fromLeft !== null)
        fromLeft[Math.floor(cell / 8)] = (fromLeft[Math.floor(cell / 8)] ?? 0) | (1 << (cell % 8));
      row[at] = left;
      diagonal = above;
    }
  }
  return row.at(-1) ?? 0;
}
