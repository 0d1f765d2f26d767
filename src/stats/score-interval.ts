import { requireOpenProbability, requireProbability } from "./domain.js";
import { DEFAULT_LEVEL } from "./interval.js";
import type { Numbers } from "./mean.js";
import { type MeanInterval, type MeanIntervalOptions, meanInterval } from "./mean-interval.js";
import { rateBounds } from "./pass-rate-interval.js";

/**
 * The interval of a mean of scores in [0, 1], one mean score per task. It is that of a pass rate: Wilson with t at the
 * number of 0/1 trials that would have the standard error that was seen, and at the number of tasks where all agree. So
 * it never leaves [0, 1], and six scores of 1 are no certainty.
 * @example
 * scoreInterval([0.5, 0.8, 1, 0.9]);
 * scoreInterval([0.5, 0.8, 1, 0.9], { clusters: ["a", "a", "b", "c"] });
 */
export function scoreInterval(taskMeans: Numbers, options: MeanIntervalOptions = {}): MeanInterval {
  const { level = DEFAULT_LEVEL } = options;
  requireOpenProbability("level", level);
  for (let i = 0; i < taskMeans.length; i++) requireProbability("taskMeans", taskMeans[i] ?? 0);
  const found = meanInterval(taskMeans, options);
  const { mean, se, n, clusters } = found;
  // Scores between 0 and 1 spread less than 0/1 trials do, so that they may be worth more of them than there were trials.
  const trials = Number.POSITIVE_INFINITY;
  const { low, high } = rateBounds({ rate: mean, se, tasks: n, trials, level, clusters });
  return { ...found, low, high };
}
