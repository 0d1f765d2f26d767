import { inverseIncompleteBeta } from "./beta.js";
import { type BootstrapInterval, type BootstrapOptions, percentileInterval, planBootstrap } from "./bootstrap.js";
import { requireProbability } from "./domain.js";
import { type Interval, NO_INTERVAL } from "./interval.js";
import { interpolate } from "./quantile.js";
import type { Random } from "./random.js";
import { type TaskValues, taskResampler } from "./task-resampler.js";
import { betaVariate } from "./variates.js";

/**
 * The p-quantile of one bootstrap resample, in constant time. Sorting a resample is sorting its n uniform draws, and
 * the k-th smallest of n uniforms is Beta(k, n-k+1); its successor is the smallest of the n-k left above it.
 */
function resampledQuantile(sorted: Float64Array, p: number, random: Random): number {
  const n = sorted.length;
  const at = (u: number) => sorted[Math.min(n - 1, Math.floor(n * u))] ?? Number.NaN;
  const position = (n - 1) * p;
  const k = Math.floor(position) + 1;
  const fraction = position - Math.floor(position);
  const u = betaVariate(k, n - k + 1, random);
  if (fraction === 0) return at(u);
  const successor = u - (1 - u) * Math.expm1(Math.log1p(-random.next()) / (n - k));
  return interpolate(at(u), at(successor), fraction);
}

/** From here on resampling only adds noise to what can be computed. */
const MANY_TASKS = 1000;

/**
 * What the percentile bootstrap tends to with ever more resamples: the k-th smallest of a resample is a value of the
 * sample whose place is Beta(k, n-k+1), so that the ends are read off that distribution. Between two neighbours both
 * are interpolated, which is exact but for their not being quite in step.
 */
function limitingInterval(sorted: Float64Array, p: number, level: number): Interval {
  const n = sorted.length;
  const position = (n - 1) * p;
  const k = Math.floor(position) + 1;
  const end = (tail: number, order: number) =>
    sorted[Math.min(n - 1, Math.floor(n * inverseIncompleteBeta(tail, order, n - order + 1)))] ?? Number.NaN;
  const between = (tail: number) => interpolate(end(tail, k), end(tail, Math.min(n, k + 1)), position - k + 1);
  return { low: between((1 - level) / 2), high: between((1 + level) / 2) };
}

/**
 * The bootstrap interval of a quantile of one value per task, for values that are sorted already.
 * @example
 * quantileBootstrapIntervalSorted(Float64Array.of(1, 2, 3, 5, 8), 0.5, { seed: 1 });
 */
export function quantileBootstrapIntervalSorted(
  sorted: Float64Array,
  p: number,
  options: BootstrapOptions,
): BootstrapInterval {
  requireProbability("p", p);
  const n = sorted.length;
  const { random, resamples, level } = planBootstrap(options, 1);
  if (n < 2) return { ...NO_INTERVAL, n, resamples: 0 };
  if (n >= MANY_TASKS) return { ...limitingInterval(sorted, p, level), n, resamples: Number.POSITIVE_INFINITY };
  const statistics = new Float64Array(resamples);
  for (let b = 0; b < resamples; b++) statistics[b] = resampledQuantile(sorted, p, random);
  return { n, ...percentileInterval(statistics, level) };
}

function firstValues(tasks: TaskValues): Float64Array {
  const firsts = new Float64Array(tasks.length);
  // Three times as fast as Float64Array.from with a callback, which shows at a million tasks.
  for (let i = 0; i < firsts.length; i++) firsts[i] = tasks[i]?.[0] ?? 0;
  return firsts;
}

function severalValuesInterval(tasks: TaskValues, p: number, options: BootstrapOptions): BootstrapInterval {
  const resampler = taskResampler(tasks, p);
  const { random, resamples, level } = planBootstrap(options, resampler.cost);
  const statistics = new Float64Array(resamples);
  for (let b = 0; b < resamples; b++) statistics[b] = resampler.next(random);
  return { n: tasks.length, ...percentileInterval(statistics, level) };
}

/**
 * The seeded bootstrap interval of a quantile over tasks; tasks without values are left out, and n counts the rest.
 * @example
 * quantileBootstrapInterval([[1.2], [0.8, 0.9], [2.5]], 0.95, { seed: 1 });
 */
export function quantileBootstrapInterval(
  perTaskValues: TaskValues,
  p: number,
  options: BootstrapOptions,
): BootstrapInterval {
  requireProbability("p", p);
  const tasks = perTaskValues.filter((values) => values.length > 0);
  const single = tasks.every((values) => values.length === 1);
  if (single || tasks.length < 2) {
    return quantileBootstrapIntervalSorted(firstValues(tasks).sort(), p, options);
  }
  return severalValuesInterval(tasks, p, options);
}
