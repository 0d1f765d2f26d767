/** A list of numbers, boxed or not. Loops over it go by index: an iterator costs more than the sum, by far before it is compiled. */
export type Numbers = readonly number[] | Float64Array;

/** The sum of values, each less a shift. */
export function sum(values: Numbers | Uint32Array, shift = 0): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += (values[i] ?? 0) - shift;
  return total;
}

/**
 * The arithmetic mean; 0 for an empty list, beside which the caller shows n = 0.
 * @example
 * mean([0.7, 0.7, 0.7]); // exactly 0.7
 */
export function mean(values: Numbers): number {
  if (values.length === 0) return 0;
  const rough = sum(values) / values.length;
  if (!Number.isFinite(rough)) return rough;
  // The second pass takes the rounding back out, so that three times 0.7 does not fall below a threshold of 0.7.
  return rough + sum(values, rough) / values.length;
}

/** The sum of squared distances from a centre. */
export function squaredDeviations(values: Numbers, centre: number): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const distance = (values[i] ?? 0) - centre;
    // A power costs a call until the loop is compiled, which is most of the time it runs.
    total += distance * distance;
  }
  return total;
}
