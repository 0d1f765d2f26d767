/** A list of numbers. Loop over it by index: an iterator costs more than the sum. */
export type Numbers = readonly number[] | Float64Array;

/** Sums the values, each minus `shift`. */
export function sum(values: Numbers | Uint32Array, shift = 0): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += (values[i] ?? 0) - shift;
  return total;
}

/**
 * The arithmetic mean; 0 for an empty list, where callers report n = 0.
 * @example
 * mean([0.7, 0.7, 0.7]); // exactly 0.7
 */
export function mean(values: Numbers): number {
  if (values.length === 0) return 0;
  const rough = sum(values) / values.length;
  if (!Number.isFinite(rough)) return rough;
  // The second pass removes the rounding error, so that the mean of 0.7, 0.7, 0.7 does not miss a threshold of 0.7.
  return rough + sum(values, rough) / values.length;
}

export function sumSquaredDeviations(values: Numbers, center: number): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const distance = (values[i] ?? 0) - center;
    // Faster than `**` until the loop is compiled.
    total += distance * distance;
  }
  return total;
}

/** The cluster of each value (a passage, repository, user or conversation); values of one cluster are not independent. */
export type Clusters = ArrayLike<string | number>;

/** Sums the deviations from a center within each cluster, in order of first occurrence. */
export function sumByCluster(values: Numbers, clusters: Clusters, center = 0): Float64Array {
  const sums = new Map<string | number, number>();
  for (let i = 0; i < values.length; i++) {
    const cluster = clusters[i] ?? "";
    sums.set(cluster, (sums.get(cluster) ?? 0) + (values[i] ?? 0) - center);
  }
  return Float64Array.from(sums.values());
}
