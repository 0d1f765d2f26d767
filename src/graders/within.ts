export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

/**
 * Scores a value against bounds: 1 inside them; above the maximum less in proportion to the excess; below the minimum the
 * share of it that is reached.
 * @example
 * scoreWithin(15, { max: 10 }); // 0.5
 */
export function scoreWithin(value: number, { min = 0, max = Infinity }: Bounds): number {
  if (value > max) return Math.max(0, 1 - (value - max) / Math.max(max, 1));
  return value < min ? value / min : 1;
}
