import { UsageError } from "./errors.js";
import type { Summary } from "./result.js";
import type { EvalRow, Facets } from "./row.js";
import { describe } from "./shape.js";

/** What a run hands to every metric: the values it inherits when it names none of its own. */
export interface MetricContext {
  scoreField: string;
  threshold: number;
  seed: number;
  /** Internal: lets the metrics of a summary find the tasks of its rows once. A metric that is called by itself needs none. */
  tasksOf?: (rows: readonly EvalRow[]) => Tasks;
  /** The dataset tags of the run; left out, those of the rows. */
  datasets?: readonly string[];
  /** Tells the reader of the summary something that is no number. */
  note?: (text: string) => void;
}

/** Which rows are trials of one task. */
export interface Tasks {
  readonly rows: readonly EvalRow[];
  /** The task of each row; null when every row is a task of its own. */
  readonly taskOf: Uint32Array | null;
  readonly size: number;
  /** The group of each task, by number; one without a group has a number of its own. Null when no row has a group. */
  readonly groupOf: Uint32Array | null;
}

/** A value of each row, in their order; NaN for a row that has none. */
export type Column = Float64Array;

/** What is known of a run before it starts. */
export interface MetricRun {
  trials: number;
  datasets: readonly string[];
  /** The facets of the examples, each with its dataset's tag; left out when nobody asks for them. */
  facets?: readonly { dataset: string; facets: Facets | null }[];
}

/** Numbers that need all systems. */
export interface Comparison {
  /** For each system's summary; here a metric may replace what it gave for the system alone. */
  bySystem?: Readonly<Record<string, Readonly<Record<string, Estimate>>>>;
  /** For all systems together. */
  across?: Readonly<Record<string, Estimate>>;
  /** Words that stand in the summary of every system, such as what a rank is by. */
  labels?: Readonly<Record<string, string>>;
}

/** One summary value and, for a mean, rate or ratio, its interval and the number of tasks behind it. */
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
  /** How many independent groups the tasks are of; left out where each stands for itself. */
  groups?: number;
  /** Why a bound is null. */
  reason?: string;
}

/**
 * Turns the rows of one system into named numbers.
 * @example
 * const refusals: Metric = { name: "refusals", compute: (rows) => ({ refusals: rows.filter((r) => r.errorCategory === "refused").length }) };
 */
export interface Metric {
  readonly name: string;
  compute(rows: readonly EvalRow[], context?: MetricContext): Record<string, number | null>;
  /** The same numbers with their intervals; a summary asks for these when it can. */
  estimate?(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate>;
  /** What only all systems together can tell; asked for when there are several. */
  compare?(summaries: Readonly<Record<string, Summary>>, rows: readonly EvalRow[], context?: MetricContext): Comparison;
  /** The summary keys it can give, so that a gate on one can be checked before a run. Without it they are known afterwards. */
  keys?(run: MetricRun): readonly string[];
  /** The score field it reads, checked before a run starts; undefined when it inherits the run's. */
  readonly scoreField?: string | undefined;
}

/** The bare values of estimates. */
export function bareValues<K extends string>(estimates: Record<K, Estimate>): Record<K, number> {
  const entries = Object.entries<Estimate>(estimates);
  return Object.fromEntries(entries.map(([key, { value }]) => [key, value])) as Record<K, number>;
}

/** The score that passing takes, checked: a percentage given by mistake would fail every trial. */
export function requireThreshold(threshold: number): number {
  if (typeof threshold === "number" && threshold >= 0 && threshold <= 1) return threshold;
  throw new UsageError(
    `The threshold must lie in [0, 1], but is ${describe(threshold)}. Scores are shares, not percentages.`,
  );
}
