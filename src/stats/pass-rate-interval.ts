import { requireInteger, requireOpenProbability, requireProbability } from "./domain.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./interval.js";
import type { Numbers } from "./mean.js";
import { meanInterval } from "./mean-interval.js";
import { normalQuantile } from "./normal.js";
import { studentQuantile } from "./student.js";
import { wilsonBounds } from "./wilson.js";

export interface PassRateInterval extends OpenInterval {
  rate: number;
  /** The number of tasks. */
  n: number;
  /** How many independent trials the tasks are worth; null when there is no interval. */
  nEff: number | null;
}

/** How many independent trials would have the standard error that was seen between tasks. */
function effectiveTrials(rate: number, se: number, bounds: { tasks: number; trials: number }): number {
  if (se === 0) return bounds.tasks;
  return Math.min(bounds.trials, Math.max(1, (rate * (1 - rate)) / (se * se)));
}

/** What is known of a rate: its value, its standard error over tasks, and how many tasks and trials it stands on. */
export interface RateFacts {
  rate: number;
  se: number | null;
  tasks: number;
  trials: number;
  level: number;
}

/** Wilson for one trial each; for several, Wilson at the effective number of trials with t in place of z. */
export function rateBounds({ rate, se, tasks, trials, level }: RateFacts): OpenInterval & { nEff: number | null } {
  const upper = (1 + level) / 2;
  if (tasks > 0 && trials === tasks) return { nEff: tasks, ...wilsonBounds(rate, tasks, normalQuantile(upper)) };
  // Several trials of a single task say nothing about other tasks.
  if (se === null) return { nEff: null, ...NO_INTERVAL };
  const nEff = effectiveTrials(rate, se, { tasks, trials });
  return { nEff, ...wilsonBounds(rate, nEff, studentQuantile(upper, tasks - 1)) };
}

/**
 * The interval of a pass rate from the pass rate of each task and the number of trials in all.
 * @example
 * passRateInterval([1, 0, 1, 1], 4); // one trial each: Wilson
 * passRateInterval([1, 0.5, 0, 1], 8); // two trials each: Wilson at the effective number of trials
 */
export function passRateInterval(
  taskMeans: Numbers,
  totalTrials: number,
  level: number = DEFAULT_LEVEL,
): PassRateInterval {
  requireOpenProbability("level", level);
  for (let i = 0; i < taskMeans.length; i++) requireProbability("taskMeans", taskMeans[i] ?? 0);
  requireInteger("totalTrials", totalTrials, { low: taskMeans.length });
  const { mean: rate, se, n } = meanInterval(taskMeans, { level });
  return { rate, n, ...rateBounds({ rate, se, tasks: n, trials: totalTrials, level }) };
}
