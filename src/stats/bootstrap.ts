import { requireInteger, requireOpenProbability } from "./distributions.js";
import { DEFAULT_LEVEL, NO_INTERVAL, type OpenInterval } from "./intervals.js";
import { quantileSorted } from "./quantile.js";
import { createRandom, type Random, type Seed } from "./random.js";

/** Options of `bootstrapInterval`. */
export interface BootstrapOptions {
  /** Default: 0. */
  seed?: Seed | undefined;
  /** Number of resamples. Default: 2000; fewer for very many tasks. */
  resamples?: number | undefined;
  level?: number | undefined;
}

/** A bootstrap confidence interval. */
export interface BootstrapInterval extends OpenInterval {
  /** The number of tasks. */
  n: number;
  /** The number of resamples used. */
  resamples: number;
}

const DEFAULT_RESAMPLES = 2000;
const MAX_DRAWS = 2e7;
const MIN_RESAMPLES = 200;

export interface BootstrapPlan {
  random: Random;
  resamples: number;
  level: number;
}

/**
 * Checks the options and bounds the work. Two thousand resamples of a million tasks would take minutes, while the
 * interval of a million tasks is so narrow that the coarser ends of 200 resamples (their tail mass is off by about one
 * percentage point) do not change a visible digit.
 */
export function planBootstrap(options: BootstrapOptions, drawsPerResample: number): BootstrapPlan {
  const { seed = 0, resamples = DEFAULT_RESAMPLES, level = DEFAULT_LEVEL } = options;
  requireInteger("resamples", resamples, { low: 1 });
  requireOpenProbability("level", level);
  const affordable = Math.max(MIN_RESAMPLES, Math.floor(MAX_DRAWS / Math.max(1, drawsPerResample)));
  return { random: createRandom(seed), resamples: Math.min(resamples, affordable), level };
}

/** The percentile interval of resampled statistics, without resamples whose statistic is undefined (NaN). */
function computePercentileInterval(statistics: Float64Array, level: number): OpenInterval & { resamples: number } {
  const defined = statistics.filter((value) => !Number.isNaN(value)).sort();
  if (defined.length === 0) return { ...NO_INTERVAL, resamples: 0 };
  const tail = (1 - level) / 2;
  return {
    low: quantileSorted(defined, tail),
    high: quantileSorted(defined, 1 - tail),
    resamples: defined.length,
  };
}

/**
 * The seeded percentile bootstrap over tasks for any statistic; all trials of a task stay together.
 * The sample passed to `statistic` is reused, so do not keep it. Bounds are null below two tasks.
 * @example
 * bootstrapInterval(tasks, (sample) => median(sample.flatMap((task) => task.seconds)), { seed: 1 });
 */
export function bootstrapInterval<T>(
  tasks: readonly T[],
  statistic: (sample: readonly T[]) => number,
  options: BootstrapOptions = {},
): BootstrapInterval {
  const n = tasks.length;
  const { random, resamples, level } = planBootstrap(options, n);
  if (n < 2) return { ...NO_INTERVAL, n, resamples: 0 };
  const sample = tasks.slice();
  const statistics = new Float64Array(resamples);
  for (let b = 0; b < resamples; b++) {
    for (let i = 0; i < n; i++) sample[i] = tasks[random.int(n)] as T;
    statistics[b] = statistic(sample);
  }
  return { n, ...computePercentileInterval(statistics, level) };
}
