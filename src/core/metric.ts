import type { EvalRow } from "./row.js";

/** What a run hands to every metric: the values it inherits when it names none of its own. */
export interface MetricContext {
  scoreField: string;
  threshold: number;
  seed: number;
}

/** An interval around one summary value, with the number of tasks behind it. */
export interface Estimate {
  low: number | null;
  high: number | null;
  n: number;
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
  /** Intervals for the keys of `compute` that are means, rates or ratios. */
  intervals?(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate>;
  /** Why a key can be null. */
  readonly reasons?: Readonly<Record<string, string>>;
  /** The score field it reads, checked before a run starts; undefined when it inherits the run's. */
  readonly scoreField?: string | undefined;
}
