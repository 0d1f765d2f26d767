import {
  binomialCdf,
  requireInteger,
  requireProbability,
  requireSameLength,
  studentTwoSidedP,
} from "./distributions.js";
import { meanInterval, type OpenInterval } from "./intervals.js";
import { type Clusters, sumByCluster } from "./mean.js";
import { createRandom, type Random, type Seed } from "./random.js";

/** Options of `pairedDifference`. */
export interface PairedOptions {
  /** Default: 0. */
  seed?: Seed | undefined;
  level?: number | undefined;
  /** Number of sign assignments to draw if there are too many to enumerate. Default: 10,000. */
  permutations?: number | undefined;
  /** The cluster of each task; tasks of one cluster are not independent, and their signs flip together. */
  clusters?: Clusters | undefined;
}

/** The mean difference A − B over the tasks that both completed; `low` and `high` are its interval. */
export interface PairedDifference extends OpenInterval {
  difference: number;
  se: number | null;
  /** Null if the standard error is unknown, or 0 while the difference is not. */
  t: number | null;
  df: number;
  /** The two-sided p-value of t; null if t is. */
  p: number | null;
  /** The two-sided p-value of the sign-flip permutation test, which assumes no distribution; null without tasks. */
  permutationP: number | null;
  /** True if every sign assignment was enumerated instead of sampled. */
  permutationExact: boolean;
  n: number;
  /** The number of clusters, if given. */
  clusters?: number;
}

function computeTStatistic(difference: number, se: number | null): number | null {
  if (se === null) return null;
  if (se === 0) return difference === 0 ? 0 : null;
  return difference / se;
}

/**
 * Compares two systems on the tasks that both completed; a[i] and b[i] are the mean scores of the same task.
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
  const t = computeTStatistic(difference, se);
  const p = t === null ? null : studentTwoSidedP(t, df);
  const units = given === undefined ? differences : [...sumByCluster(differences, given)];
  const test = runSignFlipTest(units, options);
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

/**
 * The p-value of McNemar's exact test (two-sided) from the discordant counts: A passed and B failed, and the reverse.
 * @example
 * mcnemarExact(1, 6); // 0.125
 */
export function mcnemarExact(b: number, c: number): number {
  requireInteger("b", b, { low: 0 });
  requireInteger("c", c, { low: 0 });
  return Math.min(1, 2 * binomialCdf(Math.min(b, c), b + c, 0.5));
}

/**
 * The mid-p value of McNemar's test, which counts the observed outcome half. The exact test is wrong less often than it
 * promises; this one is close to its promise, and finds more (Fagerland, Lydersen and Laake 2013).
 * @example
 * mcnemarMidP(1, 6); // 0.0703125
 */
export function mcnemarMidP(b: number, c: number): number {
  const exact = mcnemarExact(b, c);
  if (b === c) return 1;
  const fewer = Math.min(b, c);
  const observed = binomialCdf(fewer, b + c, 0.5) - (fewer === 0 ? 0 : binomialCdf(fewer - 1, b + c, 0.5));
  return exact - observed;
}

/**
 * The p-value of the exact one-sided sign test: the chance of at least this many wins if wins and losses are equally
 * likely. Ties are excluded by the caller.
 * @example
 * signTestOneSided(4, 0); // 0.0625
 */
export function signTestOneSided(wins: number, losses: number): number {
  requireInteger("wins", wins, { low: 0 });
  requireInteger("losses", losses, { low: 0 });
  return binomialCdf(losses, wins + losses, 0.5);
}

/**
 * Holm-corrected p-values, in the given order.
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

export interface SignFlipResult {
  p: number;
  /** True if every sign assignment was enumerated. */
  exact: boolean;
}

export interface SignFlipOptions {
  seed?: Seed | undefined;
  /** Number of random sign assignments if there are too many to enumerate. Default: 10,000. */
  permutations?: number | undefined;
}

/** Up to this number of differences, all sign assignments are enumerated; above it they are sampled. */
export const MAX_EXACT_UNITS = 20;
const DEFAULT_PERMUTATIONS = 10_000;
const MAX_FLIPS = 1e8;
const MIN_PERMUTATIONS = 1000;

/** The sums of the values under all sign assignments. */
function computeSignedSums(values: readonly number[]): Float64Array {
  const sums = new Float64Array(2 ** values.length);
  let filled = 1;
  for (const value of values) {
    for (let i = 0; i < filled; i++) {
      const sum = sums[i] ?? 0;
      sums[i] = sum - value;
      sums[filled + i] = sum + value;
    }
    filled *= 2;
  }
  return sums;
}

function countExtreme(sums: Float64Array, extreme: number): number {
  let count = 0;
  for (const sum of sums) if (Math.abs(sum) >= extreme) count++;
  return count;
}

/** The sums of all subsets of every four consecutive values: eight lookups use all 32 bits of one draw. */
function buildNibbleSums(values: readonly number[]): Float64Array {
  const groups = Math.ceil(values.length / 4);
  const table = new Float64Array(groups * 16);
  for (let group = 0; group < groups; group++) {
    for (let bit = 0; bit < 4; bit++) {
      const value = values[group * 4 + bit] ?? 0;
      for (let subset = 1 << bit; subset < 2 << bit; subset++) {
        table[group * 16 + subset] = (table[group * 16 + subset - (1 << bit)] ?? 0) + value;
      }
    }
  }
  return table;
}

function sampleSubsetSum(table: Float64Array, random: Random): number {
  let sum = 0;
  let bits = 0;
  for (let base = 0, left = 0; base < table.length; base += 16, left--) {
    if (left === 0) {
      bits = random.uint32();
      left = 8;
    }
    sum += table[base + (bits & 15)] ?? 0;
    bits >>>= 4;
  }
  return sum;
}

function estimateMonteCarloP(values: readonly number[], extreme: number, options: SignFlipOptions): number {
  const { seed = 0, permutations = DEFAULT_PERMUTATIONS } = options;
  const affordable = Math.max(MIN_PERMUTATIONS, Math.floor(MAX_FLIPS / values.length));
  const draws = Math.min(permutations, affordable);
  const random = createRandom(seed);
  const table = buildNibbleSums(values);
  const total = values.reduce((sum, value) => sum + value, 0);
  let count = 0;
  for (let draw = 0; draw < draws; draw++) {
    if (Math.abs(2 * sampleSubsetSum(table, random) - total) >= extreme) count++;
  }
  // Counting the observed assignment keeps the test valid and p above 0.
  return (count + 1) / (draws + 1);
}

/** The two-sided sign-flip permutation test that differences are centered at zero. */
export function runSignFlipTest(differences: readonly number[], options: SignFlipOptions): SignFlipResult {
  // Zeros have no sign to flip; dropping them does not change p and lets more cases be enumerated exactly.
  const values = differences.filter((difference) => difference !== 0);
  const magnitude = values.reduce((sum, value) => sum + Math.abs(value), 0);
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0));
  // Assignments that tie with the observed one must count as ties even if their sums round differently.
  const extreme = observed - 1e-10 * magnitude;
  if (values.length > MAX_EXACT_UNITS) return { p: estimateMonteCarloP(values, extreme, options), exact: false };
  const sums = computeSignedSums(values);
  return { p: countExtreme(sums, extreme) / sums.length, exact: true };
}
