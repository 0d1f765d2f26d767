/** Counts an adjacent swap as one edit, so that "tuncrate" is close to "truncate". */
export function computeEditDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The candidate that was most likely meant; undefined if none is close. */
export function findClosestName(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.ceil(word.length * 0.4));
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const distance = known.startsWith(wanted) && wanted.length > 2 ? 1 : computeEditDistance(wanted, known);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * The end of an "unknown name" message: a suggestion, if there is a good one, and the list.
 * @example
 * didYouMean("tuncate", ["truncate", "extract"]); // ' Did you mean "truncate"? Known: extract, truncate.'
 */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const known = [...candidates].sort();
  const guess = findClosestName(word, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return known.length === 0 ? `${hint} None are known.` : `${hint} Known: ${known.join(", ")}.`;
}
