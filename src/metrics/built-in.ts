import type { Metric, MetricChoice, MetricRun } from "../core/index.js";
import { CompressionRatio } from "./compression-ratio.js";
import { CostOfPass } from "./cost-of-pass.js";
import { Coverage } from "./coverage.js";
import { Economy } from "./economy.js";
import { Efficiency } from "./efficiency.js";
import { FacetBreakdown } from "./facet-breakdown.js";
import { Frontier } from "./frontier.js";
import { Latency } from "./latency.js";
import { MeanScore } from "./mean-score.js";
import { Measures } from "./measures.js";
import { MemoryEfficiency } from "./memory-efficiency.js";
import { ParetoRank } from "./pareto-rank.js";
import { PassRate } from "./pass-rate.js";
import { PerDatasetBreakdown } from "./per-dataset-breakdown.js";
import { listIntervalKeys } from "./summary-table.js";
import { TrialCurves } from "./trial-curves.js";

/** Part of every summary. A requested metric with the same name replaces the built-in one. */
const CORE_METRICS: readonly Metric[] = [
  new Coverage(),
  new Economy(),
  new Efficiency(),
  new TrialCurves(),
  new Frontier(),
  new FacetBreakdown(),
  new Measures(),
];

export function addCoreMetrics(metrics: readonly Metric[]): Metric[] {
  const names = new Set(metrics.map(({ name }) => name));
  return [...CORE_METRICS.filter(({ name }) => !names.has(name)), ...metrics];
}

/** Selects the standard metrics of a run by its number of systems and datasets. */
export type StandardMetrics = (systems: number, datasets: number) => readonly Metric[];

/** A metric named by the run replaces the standard one with the same name; `only` replaces all of them. */
export function selectMetrics(choice: MetricChoice, standard: readonly Metric[]): Metric[] {
  if ("only" in choice) return [...choice.only];
  const names = new Set(choice.map(({ name }) => name));
  return [...standard.filter(({ name }) => !names.has(name)), ...choice];
}

/** The metrics of a run that does not name any. */
export function standardMetrics(systems: number, datasets: number): Metric[] {
  const metrics: Metric[] = [new MeanScore(), new PassRate(), new CompressionRatio(), new CostOfPass(), new Latency()];
  if (datasets > 1) metrics.push(new PerDatasetBreakdown());
  if (systems > 1) metrics.push(new ParetoRank());
  return metrics;
}

/** Every metric that can be requested by name. */
export function listNamedMetrics(): Metric[] {
  return [...standardMetrics(2, 2), new FacetBreakdown(), new MemoryEfficiency()];
}

/** Every summary key that the metrics declare, including intervals. */
export function listSummaryKeys(metrics: readonly Metric[], run: MetricRun): Set<string> {
  const keys = addCoreMetrics(metrics).flatMap((metric) => metric.keys?.(run) ?? []);
  return new Set(keys.flatMap((key) => [key, ...listIntervalKeys(key)]));
}
