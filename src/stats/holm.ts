import { requireProbability } from "./domain.js";

/**
 * Holm's adjusted p-values, in the order the p-values came in.
 * @example
 * holm([0.01, 0.04, 0.03]); // [0.03, 0.06, 0.06]
 */
export function holm(pValues: readonly number[]): number[] {
  for (const p of pValues) requireProbability("pValues", p);
  const ascending = pValues.map((p, index) => ({ p, index })).sort((x, y) => x.p - y.p);
  const adjusted = pValues.slice();
  let floor = 0;
  ascending.forEach(({ p, index }, rank) => {
    floor = Math.max(floor, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = floor;
  });
  return adjusted;
}
