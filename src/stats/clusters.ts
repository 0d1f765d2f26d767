import type { Numbers } from "./mean.js";

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
