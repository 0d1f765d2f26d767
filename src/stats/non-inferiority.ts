import {
  normalCdf,
  normalQuantile,
  requireInteger,
  requireOpenProbability,
  requireSameLength,
  studentCdf,
  studentQuantile,
} from "./distributions.js";
import { meanInterval } from "./intervals.js";
import type { Clusters } from "./mean.js";

/** Pass/fail results of two systems on the same n tasks. */
export interface PairedCounts {
  /** Tasks that only B passed. */
  gained: number;
  /** Tasks that only A passed. */
  lost: number;
  n: number;
}

/** A difference B − A with one-sided bounds; each bound alone has the level. */
export interface OneSidedBounds {
  difference: number;
  /** Null if there are too few tasks. */
  low: number | null;
  high: number | null;
}

/** A test of the difference B − A against −margin. */
export interface NonInferiorityTest extends OneSidedBounds {
  /** "tango": score interval for paired proportions; "t": paired t interval. */
  method: "tango" | "t";
  n: number;
  /** Variance of one task's difference; null below two tasks. */
  variance: number | null;
  /** p-value of "B is worse than A by the margin or more"; small means non-inferior. */
  pNonInferior: number | null;
  /** p-value of "B is worse than A by the margin at most"; small means inferior. */
  pInferior: number | null;
  /** The number of clusters, if given. */
  clusters?: number;
}

/** Options of `nonInferiorityTest`. */
export interface NonInferiorityOptions {
  /** The largest loss that is acceptable, in (0, 1). */
  margin: number;
  /** One-sided level of the bounds. Default: 0.95. */
  level?: number | undefined;
  /** The cluster of each task; tasks of one cluster are not independent. */
  clusters?: Clusters | undefined;
  /** True if every task has one trial of each system that scored 0 or 1. */
  isBinary?: boolean | undefined;
}

const DEFAULT_LEVEL = 0.95;
const DEFAULT_POWER = 0.8;
const BISECTIONS = 60;

/**
 * Tango's score statistic for the hypothesis that the pass rates of B and A differ by `delta`; standard normal under it.
 * @example
 * tangoStatistic({ gained: 4, lost: 9, n: 100 }, -0.1); // 1.3
 */
export function tangoStatistic({ gained, lost, n }: PairedCounts, delta: number): number {
  const distance = gained - lost - n * delta;
  const share = estimateLostShare({ gained, lost, n }, delta);
  const variance = n * (2 * share + delta * (1 - delta));
  if (variance > 1e-12) return distance / Math.sqrt(variance);
  return distance === 0 ? 0 : Math.sign(distance) * Number.POSITIVE_INFINITY;
}

/** The most likely share of tasks that only A passes, if B passes `delta` more tasks than A. */
function estimateLostShare({ gained, lost, n }: PairedCounts, delta: number): number {
  const b = -gained - lost + (2 * n - gained + lost) * delta;
  const c = -lost * delta * (1 - delta);
  const share = (Math.sqrt(Math.max(0, b * b - 8 * n * c)) - b) / (4 * n);
  // B can lose no fewer tasks than the difference requires.
  return Math.max(share, -delta, 0);
}

/**
 * One-sided bounds of the difference of two paired pass rates, B − A: Tango's score interval. Together the two bounds
 * are the two-sided interval at the level 2 · level − 1. They have some width even if no task changed.
 * @example
 * tangoBounds({ gained: 1, lost: 7, n: 21 }, 0.975); // { difference: -0.286, low: -0.517, high: -0.026 }
 */
export function tangoBounds(counts: PairedCounts, level: number = DEFAULT_LEVEL): OneSidedBounds {
  requireCounts(counts);
  requireOpenProbability("level", level);
  const { gained, lost, n } = counts;
  if (n === 0) return { difference: 0, low: null, high: null };
  const difference = (gained - lost) / n;
  return { difference, ...invertStatistic(counts, difference, normalQuantile(level)) };
}

/** The differences at which the statistic reaches the critical value. */
function invertStatistic(counts: PairedCounts, difference: number, critical: number): { low: number; high: number } {
  return {
    low: bisect(-1, difference, (delta) => tangoStatistic(counts, delta) > critical),
    high: bisect(1, difference, (delta) => tangoStatistic(counts, delta) < -critical),
  };
}

function requireCounts({ gained, lost, n }: PairedCounts): void {
  requireInteger("n", n, { low: 0 });
  requireInteger("gained", gained, { low: 0, high: n });
  requireInteger("lost", lost, { low: 0, high: n - gained });
}

/** The border between the rejected values, at the outer end, and the others. */
function bisect(outer: number, inner: number, isRejected: (delta: number) => boolean): number {
  let [rejected, kept] = [outer, inner];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (rejected + kept) / 2;
    if (isRejected(middle)) rejected = middle;
    else kept = middle;
  }
  return kept;
}

/**
 * Tests whether system B is worse than A by less than the margin; a[i] and b[i] are the mean scores of the same task.
 * Single pass/fail trials without clusters: Tango's score test. Otherwise: paired t.
 * @example
 * nonInferiorityTest([1, 1, 0, 1], [1, 1, 1, 1], { margin: 0.05, isBinary: true }).pNonInferior;
 */
export function nonInferiorityTest(
  a: readonly number[],
  b: readonly number[],
  options: NonInferiorityOptions,
): NonInferiorityTest {
  requireSameLength("a and b", a.length, b.length);
  const { margin, level = DEFAULT_LEVEL, clusters, isBinary = false } = options;
  requireOpenProbability("margin", margin);
  requireOpenProbability("level", level);
  const differences = b.map((score, i) => score - (a[i] ?? 0));
  if (isBinary && clusters === undefined) return testBinary(differences, { margin, level });
  return testMeans(differences, { margin, level, clusters });
}

interface TestOptions {
  margin: number;
  level: number;
  clusters?: Clusters | undefined;
}

function testBinary(differences: readonly number[], { margin, level }: TestOptions): NonInferiorityTest {
  const n = differences.length;
  const counts = { n, gained: countSign(differences, 1), lost: countSign(differences, -1) };
  const bounds = tangoBounds(counts, level);
  const z = n === 0 ? null : tangoStatistic(counts, -margin);
  return {
    method: "tango",
    n,
    ...bounds,
    variance: n < 2 ? null : (counts.gained + counts.lost) / n - bounds.difference ** 2,
    pNonInferior: z === null ? null : normalCdf(-z),
    pInferior: z === null ? null : normalCdf(z),
  };
}

function countSign(differences: readonly number[], sign: 1 | -1): number {
  return differences.filter((difference) => Math.sign(difference) === sign).length;
}

/**
 * A paired t test whose standard error is that of the hypothesis, as in Tango's test. The plain paired t is wrong too
 * often if few tasks differ: their losses are rare and large, so it takes a sample without them for a small variance.
 * The differences are treated as those of as many pass/fail tasks as have the same standard error.
 */
function testMeans(differences: readonly number[], { margin, level, clusters }: TestOptions): NonInferiorityTest {
  const { mean: difference, se, df, n, clusters: groups } = meanInterval(differences, { clusters });
  const same = { method: "t" as const, n, difference, ...(groups === undefined ? {} : { clusters: groups }) };
  if (se === null) return { ...same, low: null, high: null, variance: null, pNonInferior: null, pInferior: null };
  const [gain, loss] = [computeMeanPart(differences, 1), computeMeanPart(differences, -1)];
  const size = se > 0 ? (gain + loss - difference ** 2) / se ** 2 : (groups ?? n);
  const counts = { gained: gain * size, lost: loss * size, n: size };
  const t = tangoStatistic(counts, -margin);
  return {
    ...same,
    ...invertStatistic(counts, difference, studentQuantile(level, df)),
    variance: se ** 2 * n,
    pNonInferior: studentCdf(-t, df),
    pInferior: studentCdf(t, df),
  };
}

/** The mean gain or loss of all tasks. */
function computeMeanPart(differences: readonly number[], sign: 1 | -1): number {
  return differences.reduce((sum, difference) => sum + Math.max(0, sign * difference), 0) / differences.length;
}

/** What is known about a difference, for planning. */
export interface DecisionDesign {
  difference: number;
  margin: number;
  /** Variance of one task's difference. */
  variance: number;
  /** One-sided. Default: 0.05. */
  alpha?: number | undefined;
  /** Default: 0.8. */
  power?: number | undefined;
}

/**
 * The number of tasks that decide whether B is non-inferior or inferior, if difference and variance stay as they are:
 * (z_α + z_β)² · Var(d) / (d + margin)². Infinity if the difference is exactly −margin.
 * @example
 * requiredForDecision({ difference: 0, margin: 0.02, variance: 0.1 }); // 1546
 */
export function requiredForDecision(design: DecisionDesign): number {
  const { difference, margin, variance, alpha = 0.05, power = DEFAULT_POWER } = design;
  requireOpenProbability("margin", margin);
  requireOpenProbability("alpha", alpha);
  requireOpenProbability("power", power);
  const distance = difference + margin;
  if (distance === 0) return Number.POSITIVE_INFINITY;
  const z = normalQuantile(1 - alpha);
  const tasks = ((z + normalQuantile(power)) ** 2 * variance) / distance ** 2;
  // With fewer tasks than this, B is not non-inferior even if no task changes.
  const fewest = distance > 0 ? (z ** 2 * (1 - margin)) / margin : 1;
  return Math.ceil(Math.max(tasks, fewest));
}
