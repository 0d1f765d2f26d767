import { incompleteBeta } from "./beta.js";
import { requireInteger, requireProbability } from "./domain.js";

/**
 * The probability of at most k successes in n trials of probability p.
 * @example
 * binomialCdf(1, 7, 0.5); // 0.0625
 */
export function binomialCdf(k: number, n: number, p: number): number {
  requireInteger("n", n, { low: 0 });
  requireProbability("p", p);
  if (!Number.isInteger(k)) throw new RangeError(`k must be an integer, got ${k}`);
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(1 - p, n - k, k + 1);
}
