/**
 * Finds the largest n in [0, max] for which `fits(n)`, if everything smaller fits too. Starts at a guess and doubles its
 * step, so that a good guess needs two or three calls for any `max`.
 */
export function findLargestFit(max: number, guess: number, fits: (n: number) => boolean): number {
  let low = 0;
  let high = max + 1;
  let at = Math.min(Math.max(guess, 0), max);
  for (let step = 1; high - low > 1; step *= 2) {
    if (at <= low) at = low + 1;
    if (at >= high) at = high - 1;
    if (fits(at)) {
      low = at;
      if (high <= max) break;
      at += step;
    } else {
      high = at;
      if (low > 0) break;
      at -= step;
    }
  }
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
