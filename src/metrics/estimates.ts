import type { Estimate } from "../core/metric.js";
import { meanInterval, passRateInterval, ratioInterval } from "../stats/index.js";
import { sum, type TaskSums } from "./tasks.js";

const TOO_FEW = "fewer than two tasks";

/** The t interval of a mean over tasks. */
export function estimateMean(taskMeans: Float64Array): Estimate {
  const { low, high, n } = meanInterval(taskMeans);
  return bounded(low, high, n);
}

/** Wilson for one trial each, Wilson at the effective number of trials for several. */
export function estimateRate(passes: TaskSums): Estimate {
  const taskMeans = passes.sums.map((passed, i) => passed / (passes.counts[i] ?? 1));
  const { low, high, n } = passRateInterval(taskMeans, sum(passes.counts));
  return bounded(low, high, n);
}

/** The delta-method interval of a ratio of totals over tasks. */
export function estimateRatio(numerators: Float64Array, denominators: Float64Array): Estimate {
  const { low, high, n, unbounded } = ratioInterval(numerators, denominators);
  if (low === null) return { low, high, n, reason: unbounded ? "no passes" : TOO_FEW };
  return high === null ? { low, high, n, reason: "no upper bound: too few passes" } : { low, high, n };
}

/** An interval that may not exist, with the usual reason. */
export function bounded(low: number | null, high: number | null, n: number): Estimate {
  return low === null || high === null ? { low, high, n, reason: TOO_FEW } : { low, high, n };
}
