import { type Clusters, clusterSums } from "./clusters.js";
import { requireOpenProbability, requireSameLength } from "./domain.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./interval.js";
import { mean, type Numbers, squaredDeviations } from "./mean.js";
import { studentQuantile } from "./student.js";

export interface MeanIntervalOptions {
  level?: number | undefined;
  /** The cluster of each value (its passage, repository or user); values of one cluster are not independent. */
  clusters?: Clusters | undefined;
}

export interface MeanInterval extends OpenInterval {
  mean: number;
  /** The standard error; null when fewer than two independent units leave it unknown. */
  se: number | null;
  df: number;
  n: number;
  /** The number of clusters, when clusters were given. */
  clusters?: number;
}

/** The standard error and t interval around a mean, from the squared deviations of its independent units. */
export function tInterval(
  mean: number,
  from: { spread: number; units: number; n: number; level: number },
): Pick<MeanInterval, "se" | "low" | "high" | "df"> {
  const df = Math.max(0, from.units - 1);
  if (df === 0) return { se: null, ...NO_INTERVAL, df };
  const se = Math.sqrt((from.units / df) * from.spread) / from.n;
  const half = studentQuantile((1 + from.level) / 2, df) * se;
  return { se, low: mean - half, high: mean + half, df };
}

/**
 * The mean of one value per task with its standard error and t interval; bounds are null below two tasks or clusters.
 * @example
 * meanInterval([0.2, 0.9, 0.4], { level: 0.9 });
 * meanInterval([1, 1, 0, 1], { clusters: ["a", "a", "b", "b"] });
 */
export function meanInterval(values: Numbers, options: MeanIntervalOptions = {}): MeanInterval {
  const { level = DEFAULT_LEVEL, clusters } = options;
  requireOpenProbability("level", level);
  const n = values.length;
  const centre = mean(values);
  if (clusters === undefined) {
    const spread = squaredDeviations(values, centre);
    return { mean: centre, ...tInterval(centre, { spread, units: n, n, level }), n };
  }
  requireSameLength("values and clusters", n, clusters.length);
  const sums = clusterSums(values, clusters, centre);
  const spread = squaredDeviations(sums, 0);
  return { mean: centre, ...tInterval(centre, { spread, units: sums.length, n, level }), n, clusters: sums.length };
}
