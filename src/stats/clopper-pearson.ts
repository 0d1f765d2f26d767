import { inverseIncompleteBeta } from "./beta.js";
import { requireInteger, requireOpenProbability } from "./domain.js";
import { DEFAULT_LEVEL, type Interval } from "./interval.js";

/**
 * The exact (Clopper–Pearson) interval for a proportion; never covers less than its level, often more.
 * @example
 * clopperPearsonInterval(8, 10); // { low: 0.443905, high: 0.974789 }
 */
export function clopperPearsonInterval(passes: number, n: number, level: number = DEFAULT_LEVEL): Interval {
  requireInteger("n", n, { low: 1 });
  requireInteger("passes", passes, { low: 0, high: n });
  requireOpenProbability("level", level);
  const tail = (1 - level) / 2;
  return {
    low: passes === 0 ? 0 : inverseIncompleteBeta(tail, passes, n - passes + 1),
    high: passes === n ? 1 : inverseIncompleteBeta(1 - tail, passes + 1, n - passes),
  };
}
