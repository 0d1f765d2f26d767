import type { Numbers } from "./mean.js";

/** The cluster of each value (its passage, repository, user or conversation); values of one cluster are not independent. */
export type Clusters = ArrayLike<string | number>;

/** The sum over each cluster of what its values are above a centre, in the order in which clusters are met. */
export function clusterSums(values: Numbers, clusters: Clusters, centre = 0): Float64Array {
  const sums = new Map<string | number, number>();
  for (let i = 0; i < values.length; i++) {
    const cluster = clusters[i] ?? "";
    sums.set(cluster, (sums.get(cluster) ?? 0) + (values[i] ?? 0) - centre);
  }
  return Float64Array.from(sums.values());
}
