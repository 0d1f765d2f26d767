import type { Metric } from "../core/metric.js";
import { CompressionRatio } from "./compression-ratio.js";
import { CostOfPass } from "./cost-of-pass.js";
import { Coverage } from "./coverage.js";
import { Economy } from "./economy.js";
import { Latency } from "./latency.js";
import { MeanScore } from "./mean-score.js";
import { ParetoRank } from "./pareto-rank.js";
import { PassRate } from "./pass-rate.js";
import { PerDatasetBreakdown } from "./per-dataset-breakdown.js";
import { TrialCurves } from "./trial-curves.js";

const CLASSES = [MeanScore, PassRate, CompressionRatio, CostOfPass, Latency, PerDatasetBreakdown, ParetoRank];

/** Metrics that are in every summary, whatever was asked for. */
export const ALWAYS: readonly Metric[] = [new Coverage(), new Economy(), new TrialCurves()];

/** The metrics of a run that names none. */
export function standardMetrics(systems: number, datasets: number): Metric[] {
  const metrics: Metric[] = [new MeanScore(), new PassRate(), new CompressionRatio(), new CostOfPass(), new Latency()];
  if (datasets > 1) metrics.push(new PerDatasetBreakdown());
  if (systems > 1) metrics.push(new ParetoRank());
  return metrics;
}

export function isBuiltIn(metric: Metric): boolean {
  return CLASSES.some((Class) => metric instanceof Class) || ALWAYS.includes(metric);
}

/** Every summary key that the built-in ones of these metrics can give, intervals included. */
export function builtInKeys(run: {
  metrics: readonly Metric[];
  trials: number;
  datasets: readonly string[];
}): Set<string> {
  const keys = [...run.metrics, ...ALWAYS].filter(isBuiltIn).flatMap((metric) => Object.keys(metric.compute([])));
  for (let k = 1; run.trials > 1 && k <= run.trials; k++) keys.push(`pass_at_${k}`, `pass_hat_${k}`, "flaky_rate");
  for (const dataset of run.datasets) keys.push(`dataset:${dataset}`);
  keys.push("prompt_compression_ratio");
  return new Set(keys.flatMap((key) => [key, `${key}_ci_low`, `${key}_ci_high`, `${key}_n`]));
}
