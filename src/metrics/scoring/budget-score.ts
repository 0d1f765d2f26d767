/**
 * The score of a budget-like grader: 1 up to the maximum, then falling to 0 at twice the maximum.
 * Maxima under 1 (dollars, mostly) fall by one per unit instead, so that a tiny budget is not a cliff.
 * @example
 * budgetScore(75_000, 50_000); // 0.5
 */
export function budgetScore(value: number, max: number): number {
  if (!(value >= 0)) throw new RangeError(`value must not be negative, got ${value}`);
  if (!(max >= 0)) throw new RangeError(`max must not be negative, got ${max}`);
  if (value <= max) return 1;
  return Math.max(0, 1 - (value - max) / Math.max(max, 1));
}
