import { requireInteger, requireProbability, requireSameLength } from "./distributions.js";
import {
  computeRateBounds,
  computeTInterval,
  DEFAULT_LEVEL,
  type Interval,
  meanInterval,
  type RateStatistics,
} from "./intervals.js";
import type { Clusters } from "./mean.js";

function requirePassCounts(n: number, c: number, k: number): void {
  requireInteger("n", n, { low: 1 });
  requireInteger("c", c, { low: 0, high: n });
  requireInteger("k", k, { low: 1, high: n });
}

/** C(part, k) / C(n, k): the share of k-subsets of n items that lie within a part of them. */
function computeSubsetShare(part: number, n: number, k: number): number {
  if (part < k) return 0;
  let share = 1;
  // The same number as a product over k or over n - part; the shorter one is cheaper and more accurate.
  if (k <= n - part) for (let m = 0; m < k; m++) share *= (part - m) / (n - m);
  else for (let m = part + 1; m <= n; m++) share *= 1 - k / m;
  return share;
}

/**
 * The unbiased estimate of pass@k: the chance that at least one of k trials passes, from c passes in n trials.
 * @example
 * passAtK(5, 2, 3); // 0.9
 */
export function passAtK(n: number, c: number, k: number): number {
  requirePassCounts(n, c, k);
  return 1 - computeSubsetShare(n - c, n, k);
}

/**
 * The unbiased estimate of pass^k: the chance that all of k trials pass, from c passes in n trials.
 * @example
 * passHatK(5, 3, 2); // 0.3
 */
export function passHatK(n: number, c: number, k: number): number {
  requirePassCounts(n, c, k);
  return computeSubsetShare(c, n, k);
}

/**
 * The plug-in estimate of pass@k; biased, for comparison only.
 * @example
 * passAtKNaive(0.5, 3); // 0.875
 */
export function passAtKNaive(p: number, k: number): number {
  requireProbability("p", p);
  requireInteger("k", k, { low: 1 });
  // 1 - (1-p)^k without losing the digits of a small p.
  return -Math.expm1(k * Math.log1p(-p));
}

/**
 * The plug-in estimate of pass^k; biased upward if p is an observed rate.
 * @example
 * passToTheK(0.8, 5); // 0.32768
 */
export function passToTheK(p: number, k: number): number {
  requireProbability("p", p);
  requireInteger("k", k, { low: 1 });
  return p ** k;
}

/** The trials of one task: n scored, c passed. */
export interface TaskCounts {
  n: number;
  c: number;
}

/** pass@k and pass^k for one k. */
export interface PassCurvePoint {
  k: number;
  passAtK: number;
  passHatK: number;
  /** The number of tasks with at least k trials. */
  tasks: number;
  /** Null if there is only one task with several trials. */
  passAtKInterval: Interval | null;
  passHatKInterval: Interval | null;
  /** The number of clusters of those tasks, if clusters are given. */
  clusters?: number;
}

/** Options of `passCurves`. */
export interface PassCurveOptions {
  /** The cluster of each task; tasks of one cluster are not independent. */
  clusters?: Clusters | undefined;
}

/** Tasks with the same counts; few groups, however many tasks there are. */
interface TaskGroup extends TaskCounts {
  tasks: number;
}

function groupTasks(tasks: readonly TaskCounts[]): TaskGroup[] {
  const groups = new Map<number, Map<number, TaskGroup>>();
  for (const { n, c } of tasks) {
    const sameTrials = groups.get(n) ?? new Map<number, TaskGroup>();
    const group = sameTrials.get(c) ?? { n, c, tasks: 0 };
    group.tasks++;
    groups.set(n, sameTrials.set(c, group));
  }
  return [...groups.values()].flatMap((sameTrials) => [...sameTrials.values()]);
}

interface PassAverage {
  mean: number;
  interval: Interval | null;
  clusters?: number | undefined;
}

/** Not a t interval: it has no width if all tasks agree, and three of three is not certainty. */
function toPassAverage(mean: number, facts: Omit<RateStatistics, "rate" | "level">): PassAverage {
  const { low, high } = computeRateBounds({ ...facts, rate: mean, level: DEFAULT_LEVEL });
  return { mean, interval: low === null || high === null ? null : { low, high }, clusters: facts.clusters };
}

function computeGroupAverage(groups: readonly TaskGroup[], estimate: (group: TaskCounts) => number): PassAverage {
  const weighted = groups.map((group) => ({ value: estimate(group), tasks: group.tasks }));
  const n = weighted.reduce((sum, { tasks }) => sum + tasks, 0);
  const mean = weighted.reduce((sum, { value, tasks }) => sum + value * tasks, 0) / n;
  const spread = weighted.reduce((sum, { value, tasks }) => sum + tasks * (value - mean) ** 2, 0);
  const { se } = computeTInterval(mean, { spread, units: n, n, level: DEFAULT_LEVEL });
  const trials = groups.reduce((sum, group) => sum + group.n * group.tasks, 0);
  return toPassAverage(mean, { se, tasks: n, trials });
}

interface ClusteredTask extends TaskCounts {
  cluster: string | number;
}

function computeClusteredAverage(tasks: readonly ClusteredTask[], estimate: (task: TaskCounts) => number): PassAverage {
  const { mean, se, n, clusters } = meanInterval(tasks.map(estimate), {
    clusters: tasks.map(({ cluster }) => cluster),
  });
  const trials = tasks.reduce((sum, task) => sum + task.n, 0);
  return toPassAverage(mean, { se, tasks: n, trials, clusters });
}

function buildCurvePoint(k: number, tasks: number, averageOf: (estimate: (task: TaskCounts) => number) => PassAverage) {
  const atLeastOne = averageOf(({ n, c }) => passAtK(n, c, k));
  const all = averageOf(({ n, c }) => passHatK(n, c, k));
  const { clusters } = all;
  return {
    k,
    passAtK: atLeastOne.mean,
    passHatK: all.mean,
    tasks,
    passAtKInterval: atLeastOne.interval,
    passHatKInterval: all.interval,
    ...(clusters === undefined ? {} : { clusters }),
  };
}

function computeClusteredCurves(tasks: readonly TaskCounts[], clusters: Clusters): PassCurvePoint[] {
  requireSameLength("tasks and clusters", tasks.length, clusters.length);
  const all = tasks.map(({ n, c }, i) => ({ n, c, cluster: clusters[i] ?? "" }));
  const longest = all.reduce((most, task) => Math.max(most, task.n), 0);
  return Array.from({ length: longest }, (_, index) => {
    const usable = all.filter((task) => task.n > index);
    return buildCurvePoint(index + 1, usable.length, (estimate) => computeClusteredAverage(usable, estimate));
  });
}

/**
 * Unbiased pass@k and pass^k for every k up to the largest number of trials, averaged over tasks with at least k trials.
 * @example
 * passCurves([{ n: 4, c: 4 }, { n: 4, c: 1 }]).map((point) => point.passHatK);
 */
export function passCurves(tasks: readonly TaskCounts[], { clusters }: PassCurveOptions = {}): PassCurvePoint[] {
  if (clusters !== undefined) return computeClusteredCurves(tasks, clusters);
  const groups = groupTasks(tasks);
  const longest = groups.reduce((most, group) => Math.max(most, group.n), 0);
  return Array.from({ length: longest }, (_, index) => {
    const usable = groups.filter((group) => group.n > index);
    const size = usable.reduce((sum, group) => sum + group.tasks, 0);
    return buildCurvePoint(index + 1, size, (estimate) => computeGroupAverage(usable, estimate));
  });
}
