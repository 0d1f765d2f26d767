import { UsageError } from "./errors.js";
import type { Summary } from "./result.js";
import type { EvalRow, Facets } from "./row.js";
import { describeValue } from "./shape.js";

/** Settings of the run that metrics inherit unless they set their own. */
export interface MetricContext {
  scoreField: string;
  threshold: number;
  seed: number;
  /** Internal: caches the task index of a summary's rows. A metric that is called directly needs none. */
  tasksOf?: (rows: readonly EvalRow[]) => TaskIndex;
  /** The dataset tags of the run. Default: those of the rows. */
  datasets?: readonly string[];
  /** Adds a note to the summary. */
  note?: (text: string) => void;
}

/** Which rows are trials of the same task. */
export interface TaskIndex {
  readonly rows: readonly EvalRow[];
  /** The task number of each row; null if every row is its own task. */
  readonly taskOf: Uint32Array | null;
  readonly size: number;
  /** The group number of each task; a task without a group has its own. Null if no row has a group. */
  readonly groupOf: Uint32Array | null;
}

/** One value per row, in order; NaN if missing. */
export type NumberColumn = Float64Array;

/** What is known about a run before it starts. */
export interface MetricRun {
  trials: number;
  datasets: readonly string[];
  /** The facets of each example with its dataset tag; absent unless requested. */
  facets?: readonly { dataset: string; facets: Facets | null }[];
}

/** Results that need all systems. */
export interface Comparison {
  /** Per system; may replace values that the metric computed for the system alone. */
  bySystem?: Readonly<Record<string, Readonly<Record<string, Estimate>>>>;
  /** For all systems together. */
  across?: Readonly<Record<string, Estimate>>;
  /** Text added to the summary of every system, such as the basis of a rank. */
  labels?: Readonly<Record<string, string>>;
}

/** One summary value and, for a mean, rate or ratio, its confidence interval and number of tasks. */
export interface Estimate {
  value: number | null;
  /** Why the value is null or infinite. */
  reason?: string;
  interval?: EstimateInterval;
}

export interface EstimateInterval {
  low: number | null;
  high: number | null;
  n: number;
  /** Number of independent groups; absent if every task is independent. */
  groups?: number;
  /** Why a bound is null. */
  reason?: string;
}

/**
 * Turns the rows of one system into named numbers.
 * @example
 * const refusals: Metric = { name: "refusals", compute: (rows) => ({ refusals: rows.filter((r) => r.errorCategory === "refused").length }) };
 */
export interface Metric<Key extends string = string> {
  readonly name: string;
  compute(rows: readonly EvalRow[], context?: MetricContext): Record<Key, number | null>;
  /** The same values with intervals; summaries prefer this over `compute`. */
  estimate?(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate>;
  /** Computes values across systems; called if there are several. */
  compare?(summaries: Readonly<Record<string, Summary>>, rows: readonly EvalRow[], context?: MetricContext): Comparison;
  /** The summary keys it can produce, so that gates can be checked before a run. */
  keys?(run: MetricRun): readonly string[];
  /** The score field it reads, checked before a run starts; undefined to inherit the run's. */
  readonly scoreField?: string | undefined;
}

export function pickValues<K extends string>(estimates: Record<K, Estimate>): Record<K, number> {
  const entries = Object.entries<Estimate>(estimates);
  return Object.fromEntries(entries.map(([key, { value }]) => [key, value])) as Record<K, number>;
}

/** Rejects a percentage, which would fail every trial. */
export function requireThreshold(threshold: number): number {
  if (typeof threshold === "number" && threshold >= 0 && threshold <= 1) return threshold;
  throw new UsageError(
    `The threshold must be between 0 and 1, but is ${describeValue(threshold)}. Scores are fractions, not percentages.`,
  );
}

/** Metrics in addition to the standard ones, or `only` these. */
export type MetricChoice<T = Metric> = readonly T[] | { readonly only: readonly T[] };

/** The metrics that a choice names. */
export function listChosenMetrics<T>(choice: MetricChoice<T>): readonly T[] {
  return "only" in choice ? choice.only : choice;
}

/**
 * Replaces the metrics of a choice one by one.
 * @example
 * mapMetricChoice({ only: ["./mine.ts"] }, resolve); // { only: ["/project/mine.ts"] }
 */
export function mapMetricChoice<T, U>(choice: MetricChoice<T>, map: (metric: T) => U): MetricChoice<U> {
  return "only" in choice ? { only: choice.only.map(map) } : choice.map(map);
}
