import { binomialCdf } from "./binomial.js";
import { requireOpenProbability } from "./domain.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./interval.js";

export interface QuantileIntervalOptions {
  level?: number | undefined;
  /**
   * How many independent units the values come from; left out, each value is one. Values of one unit (the trials of a
   * task, the tasks of a conversation) are taken as though they were all the same.
   */
  units?: number | undefined;
}

/**
 * The interval of the p-quantile between two of the sorted values, whose ranks are those of the binomial distribution:
 * whatever the values are distributed like, each end misses the quantile with a probability of at most (1 − level) / 2.
 * An end is null where so few values have no such rank: at 95 %, the median needs 6, and the upper end of p95 72.
 * @example
 * quantileInterval(Float64Array.of(1, 2, 3, 5, 8, 9, 12), 0.5); // { low: 1, high: 12 }
 */
export function quantileInterval(sorted: Float64Array, p: number, options: QuantileIntervalOptions = {}): OpenInterval {
  const { level = DEFAULT_LEVEL, units = sorted.length } = options;
  requireOpenProbability("p", p);
  requireOpenProbability("level", level);
  const n = Math.min(sorted.length, Math.floor(units));
  if (n < 2) return NO_INTERVAL;
  const tail = (1 - level) / 2;
  const low = findRank(n, (rank) => binomialCdf(rank, n, p) > tail);
  const high = findRank(n, (rank) => 1 - binomialCdf(rank, n, p) <= tail);
  // Of values that are the same within a unit, the first of the lower one and the last of the upper one are taken.
  const scale = sorted.length / n;
  // Of two values both may well lie below p99, while its estimate lies between them: the interval holds that, too.
  const position = (sorted.length - 1) * p;
  return {
    low: low === 0 ? null : (sorted[Math.floor(Math.min((low - 1) * scale, position))] ?? null),
    high: high >= n ? null : (sorted[Math.ceil(Math.max((high + 1) * scale - 1, position))] ?? null),
  };
}

/** The least rank from 0 on at which a condition that stays true once it is holds; n when it never does. */
function findRank(n: number, holds: (rank: number) => boolean): number {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * How many units of the same size would tell as much as these, if the values of a unit were all the same (Kish).
 * @example
 * effectiveUnits([3, 3, 3]); // 3
 * effectiveUnits([8, 1, 1]); // 1.51…
 */
export function effectiveUnits(sizes: ArrayLike<number>): number {
  let total = 0;
  let squares = 0;
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i] ?? 0;
    total += size;
    squares += size * size;
  }
  return total === 0 ? 0 : (total * total) / squares;
}
