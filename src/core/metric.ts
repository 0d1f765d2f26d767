import type { EvalRow } from "./row.js";

/** What a run hands to every metric: the values it inherits when it names none of its own. */
export interface MetricContext {
  scoreField: string;
  threshold: number;
  seed: number;
}

/** One summary value and, for a mean, rate or ratio, its interval and the number of tasks behind it. */
export interface Estimate {
  value: number | null;
  /** Why the value is null. */
  reason?: string;
  interval?: EstimateInterval;
}

export interface EstimateInterval {
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
  /** The same numbers with their intervals; a summary asks for these when it can. */
  estimate?(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate>;
  /** The score field it reads, checked before a run starts; undefined when it inherits the run's. */
  readonly scoreField?: string | undefined;
}

/** The bare values of estimates. */
export function bareValues<K extends string>(estimates: Record<K, Estimate>): Record<K, number> {
  const values = {} as Record<K, number>;
  for (const key in estimates) values[key] = estimates[key].value as number;
  return values;
}
