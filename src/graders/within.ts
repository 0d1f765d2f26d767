/** The least and the most that is allowed. */
export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

/**
 * The score of a figure that is held to bounds: full marks inside of them, then less by as much as the most is exceeded,
 * or the share of the least that is reached.
 * @example
 * scoreWithin(15, { max: 10 }); // 0.5
 */
export function scoreWithin(value: number, { min = 0, max = Infinity }: Bounds): number {
  if (value > max) return Math.max(0, 1 - (value - max) / Math.max(max, 1));
  return value < min ? value / min : 1;
}
