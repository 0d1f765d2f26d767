// What the simulations share: random tasks, and the look of figures.
import { createRandom } from "../../dist/lib/stats.js";

/** (z of 0.975 + z of 0.8): the minimum detectable difference in standard errors. */
export const DETECTABLE = 2.8015852;

/** Fewer experiments for larger samples, which differ less. */
export function countExperiments(n, wanted) {
  return Math.max(wanted / 4, Math.min(wanted, Math.round((wanted * 300) / n)));
}

/** The chances that both, only A or only B passes, with this correlation, or the nearest possible one. */
export function computeShares(pA, pB, correlation) {
  const covariance = correlation * Math.sqrt(pA * (1 - pA) * pB * (1 - pB));
  const both = Math.min(pA, pB, Math.max(0, pA + pB - 1, pA * pB + covariance));
  return { both, onlyA: pA - both, onlyB: pB - both };
}

/** One task's difference B − A of two passes. */
export function drawDifference(random, { onlyA, onlyB }) {
  const u = random.next();
  if (u < onlyA) return -1;
  return u < onlyA + onlyB ? 1 : 0;
}

export function median(values) {
  return values.toSorted((x, y) => x - y)[values.length >> 1];
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
export const fixed = (value, digits = 3) => (value === null ? "–" : value.toFixed(digits));

/** The standard error of a share that was simulated this many times. */
export const standardError = (share, times) => Math.sqrt((share * (1 - share)) / times);

/** Runs an experiment many times on one seeded stream. */
export function repeat(seed, times, experiment) {
  const random = createRandom(seed);
  return Array.from({ length: times }, () => experiment(random));
}
