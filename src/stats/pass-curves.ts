import { DEFAULT_LEVEL, type Interval } from "./interval.js";
import { tInterval } from "./mean-interval.js";
import { passAtK, passHatK } from "./pass-at-k.js";
import { rateBounds } from "./pass-rate-interval.js";

/** The trials of one task: n scored, c passed. */
export interface TaskCounts {
  n: number;
  c: number;
}

export interface PassCurvePoint {
  k: number;
  passAtK: number;
  passHatK: number;
  /** How many tasks have at least k trials. */
  tasks: number;
  /** Null when several trials of a single task are all there is. */
  passAtKInterval: Interval | null;
  passHatKInterval: Interval | null;
}

/** All tasks with the same counts; there are few distinct ones however many tasks there are. */
interface Group extends TaskCounts {
  tasks: number;
}

function groupTasks(tasks: readonly TaskCounts[]): Group[] {
  const groups = new Map<number, Map<number, Group>>();
  for (const { n, c } of tasks) {
    const sameTrials = groups.get(n) ?? new Map<number, Group>();
    const group = sameTrials.get(c) ?? { n, c, tasks: 0 };
    group.tasks++;
    groups.set(n, sameTrials.set(c, group));
  }
  return [...groups.values()].flatMap((sameTrials) => [...sameTrials.values()]);
}

function average(
  groups: readonly Group[],
  estimate: (group: Group) => number,
): { mean: number; interval: Interval | null } {
  const weighted = groups.map((group) => ({ value: estimate(group), tasks: group.tasks }));
  const n = weighted.reduce((sum, { tasks }) => sum + tasks, 0);
  const mean = weighted.reduce((sum, { value, tasks }) => sum + value * tasks, 0) / n;
  const spread = weighted.reduce((sum, { value, tasks }) => sum + tasks * (value - mean) ** 2, 0);
  const { se } = tInterval(mean, { spread, units: n, n, level: DEFAULT_LEVEL });
  const trials = groups.reduce((sum, group) => sum + group.n * group.tasks, 0);
  // The t interval has no width when all tasks agree, and three of three is not certainty.
  const { low, high } = rateBounds({ rate: mean, se, tasks: n, trials, level: DEFAULT_LEVEL });
  return { mean, interval: low === null || high === null ? null : { low, high } };
}

function curvePoint(usable: readonly Group[], k: number): PassCurvePoint {
  const atLeastOne = average(usable, ({ n, c }) => passAtK(n, c, k));
  const all = average(usable, ({ n, c }) => passHatK(n, c, k));
  return {
    k,
    passAtK: atLeastOne.mean,
    passHatK: all.mean,
    tasks: usable.reduce((sum, group) => sum + group.tasks, 0),
    passAtKInterval: atLeastOne.interval,
    passHatKInterval: all.interval,
  };
}

/**
 * Unbiased pass@k and pass^k for every k up to the longest task, averaged over the tasks with at least k trials.
 * @example
 * passCurves([{ n: 4, c: 4 }, { n: 4, c: 1 }]).map((point) => point.passHatK);
 */
export function passCurves(tasks: readonly TaskCounts[]): PassCurvePoint[] {
  const groups = groupTasks(tasks);
  const longest = groups.reduce((most, group) => Math.max(most, group.n), 0);
  return Array.from({ length: longest }, (_, index) => {
    const usable = groups.filter((group) => group.n > index);
    return curvePoint(usable, index + 1);
  });
}
