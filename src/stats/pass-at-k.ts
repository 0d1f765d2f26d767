import { requireInteger, requireProbability } from "./domain.js";

function requireCounts(n: number, c: number, k: number): void {
  requireInteger("n", n, { low: 1 });
  requireInteger("c", c, { low: 0, high: n });
  requireInteger("k", k, { low: 1, high: n });
}

/** C(part, k) / C(n, k): the share of k-subsets of n that lie inside a part of it. */
function shareOfSubsets(part: number, n: number, k: number): number {
  if (part < k) return 0;
  let share = 1;
  // The same number as a product over k or over n - part; the shorter one is cheaper and rounds less often.
  if (k <= n - part) for (let m = 0; m < k; m++) share *= (part - m) / (n - m);
  else for (let m = part + 1; m <= n; m++) share *= 1 - k / m;
  return share;
}

/**
 * The unbiased chance that at least one of k trials passes, from c passes in n trials.
 * @example
 * passAtK(5, 2, 3); // 0.9
 */
export function passAtK(n: number, c: number, k: number): number {
  requireCounts(n, c, k);
  return 1 - shareOfSubsets(n - c, n, k);
}

/**
 * The unbiased chance that all of k trials pass (pass^k), from c passes in n trials.
 * @example
 * passHatK(5, 3, 2); // 0.3
 */
export function passHatK(n: number, c: number, k: number): number {
  requireCounts(n, c, k);
  return shareOfSubsets(c, n, k);
}

/**
 * The plug-in chance that at least one of k trials passes; biased, for comparison only.
 * @example
 * passAtKNaive(0.5, 3); // 0.875
 */
export function passAtKNaive(p: number, k: number): number {
  requireProbability("p", p);
  requireInteger("k", k, { low: 1 });
  // 1 - (1-p)^k without losing the digits of a small p.
  return -Math.expm1(k * Math.log1p(-p));
}

/**
 * The plug-in chance that all of k trials pass; biased upward when p is an observed rate.
 * @example
 * passToTheK(0.8, 5); // 0.32768
 */
export function passToTheK(p: number, k: number): number {
  requireProbability("p", p);
  requireInteger("k", k, { low: 1 });
  return p ** k;
}
