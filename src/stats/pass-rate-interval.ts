import type { Clusters } from "./clusters.js";
import {
  normalQuantile,
  requireInteger,
  requireOpenProbability,
  requireProbability,
  studentQuantile,
} from "./distributions.js";
import { DEFAULT_LEVEL, meanInterval, NO_INTERVAL, type OpenInterval, wilsonBounds } from "./intervals.js";
import type { Numbers } from "./mean.js";

/** A pass rate with its interval, and what it rests on. */
export interface PassRateInterval extends OpenInterval {
  rate: number;
  /** The number of tasks. */
  n: number;
  /** How many independent trials the tasks are worth; null when there is no interval. */
  nEff: number | null;
  /** The number of clusters, when clusters were given. */
  clusters?: number;
}

/** Options of `passRateInterval`. */
export interface PassRateOptions {
  level?: number | undefined;
  /** The cluster of each task; tasks of one cluster are not independent. */
  clusters?: Clusters | undefined;
}

/** Sums of equal shares that should cancel leave a rounding error, which is no spread. */
const ROUNDING = 1e-12;

/** How many independent trials would have the standard error that was seen between the independent units. */
function effectiveTrials(rate: number, se: number, bounds: { units: number; trials: number }): number {
  if (se < ROUNDING) return bounds.units;
  return Math.min(bounds.trials, Math.max(1, (rate * (1 - rate)) / (se * se)));
}

/** What is known of a rate: its value, its standard error, and how many tasks and trials it stands on. */
export interface RateFacts {
  rate: number;
  se: number | null;
  tasks: number;
  trials: number;
  level: number;
  /** How many clusters the tasks are of; left out, each stands for itself. */
  clusters?: number | undefined;
}

/** Wilson for one trial each; for several, or in clusters, Wilson at the effective number of trials with t in place of z. */
export function rateBounds(facts: RateFacts): OpenInterval & { nEff: number | null } {
  const { rate, se, tasks, trials, level, clusters } = facts;
  const upper = (1 + level) / 2;
  const isPlain = clusters === undefined && trials === tasks;
  if (tasks > 0 && isPlain) return { nEff: tasks, ...wilsonBounds(rate, tasks, normalQuantile(upper)) };
  // Several trials of a single task say nothing about other tasks, and one conversation nothing about others.
  if (se === null) return { nEff: null, ...NO_INTERVAL };
  const units = clusters ?? tasks;
  const nEff = effectiveTrials(rate, se, { units, trials });
  return { nEff, ...wilsonBounds(rate, nEff, studentQuantile(upper, units - 1)) };
}

/**
 * The interval of a pass rate from the pass rate of each task and the number of trials in all.
 * @example
 * passRateInterval([1, 0, 1, 1], 4); // one trial each: Wilson
 * passRateInterval([1, 0.5, 0, 1], 8); // two trials each: Wilson at the effective number of trials
 * passRateInterval([1, 1, 0, 1], 4, { clusters: ["a", "a", "b", "c"] }); // and where tasks are not independent
 */
export function passRateInterval(
  taskMeans: Numbers,
  totalTrials: number,
  options: number | PassRateOptions = {},
): PassRateInterval {
  const { level = DEFAULT_LEVEL, clusters: given } = typeof options === "number" ? { level: options } : options;
  requireOpenProbability("level", level);
  for (let i = 0; i < taskMeans.length; i++) requireProbability("taskMeans", taskMeans[i] ?? 0);
  requireInteger("totalTrials", totalTrials, { low: taskMeans.length });
  const { mean: rate, se, n, clusters } = meanInterval(taskMeans, { level, clusters: given });
  const bounds = rateBounds({ rate, se, tasks: n, trials: totalTrials, level, clusters });
  return { rate, n, ...bounds, ...(clusters === undefined ? {} : { clusters }) };
}
