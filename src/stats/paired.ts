import { type Clusters, clusterSums } from "./clusters.js";
import { requireSameLength } from "./domain.js";
import type { OpenInterval } from "./interval.js";
import { meanInterval } from "./mean-interval.js";
import type { Seed } from "./random.js";
import { signFlipTest } from "./sign-flip.js";
import { studentTwoSidedP } from "./student.js";

export interface PairedOptions {
  /** 0 unless given. */
  seed?: Seed | undefined;
  level?: number | undefined;
  /** How many sign assignments to draw when there are too many to count; 10,000 unless given. */
  permutations?: number | undefined;
  /** The cluster of each task; tasks of one cluster are not independent, and change their signs together. */
  clusters?: Clusters | undefined;
}

/** The mean of A minus B over the tasks both completed, with its interval in `low` and `high`. */
export interface PairedDifference extends OpenInterval {
  difference: number;
  se: number | null;
  /** Null when the standard error is unknown, or 0 beside a difference that is not. */
  t: number | null;
  df: number;
  /** The two-sided p-value of t; null when t is. */
  p: number | null;
  /** The two-sided p-value of the sign-flip test, which assumes no shape; null without tasks. */
  permutationP: number | null;
  /** True when every sign assignment was counted rather than sampled. */
  permutationExact: boolean;
  n: number;
  /** The number of clusters, when clusters were given. */
  clusters?: number;
}

function tStatistic(difference: number, se: number | null): number | null {
  if (se === null) return null;
  if (se === 0) return difference === 0 ? 0 : null;
  return difference / se;
}

/**
 * Compares two systems on the tasks both completed; a[i] and b[i] are the mean scores of the same task.
 * @example
 * pairedDifference([1, 1, 0, 1], [1, 0, 0, 1], { seed: 1 });
 * pairedDifference([1, 1, 0, 1], [1, 0, 0, 1], { clusters: ["a", "a", "b", "c"] });
 */
export function pairedDifference(
  a: readonly number[],
  b: readonly number[],
  options: PairedOptions = {},
): PairedDifference {
  requireSameLength("a and b", a.length, b.length);
  const differences = a.map((score, index) => score - (b[index] ?? 0));
  const { level, clusters: given } = options;
  const { mean: difference, se, low, high, df, n, clusters } = meanInterval(differences, { level, clusters: given });
  const t = tStatistic(difference, se);
  const p = t === null ? null : studentTwoSidedP(t, df);
  const units = given === undefined ? differences : [...clusterSums(differences, given)];
  const test = signFlipTest(units, options);
  return {
    difference,
    se,
    t,
    df,
    p,
    low,
    high,
    permutationP: n === 0 ? null : test.p,
    permutationExact: test.exact,
    n,
    ...(clusters === undefined ? {} : { clusters }),
  };
}
