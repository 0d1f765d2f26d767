import type { MetricComparison } from "../../../../src/metrics/compare/index.js";

/** One line of the plot: a difference with its interval, as shares of the width. */
export interface ForestRow {
  readonly metric: MetricComparison;
  readonly at: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Lines that share a scale. */
export interface ForestGroup {
  readonly title: string;
  /** The scale goes from minus this to plus this. */
  readonly limit: number;
  readonly isRelative: boolean;
  readonly rows: readonly ForestRow[];
}

/**
 * Differences that can be drawn on a common scale: scores as they are; money, time and tokens relative to A, because
 * seconds and dollars have no scale in common.
 */
export function buildForestGroups(metrics: readonly MetricComparison[]): ForestGroup[] {
  const scores = metrics.filter(({ kind }) => kind !== "economy");
  const economy = metrics.filter(({ kind }) => kind === "economy");
  return [
    buildForestGroup({ title: "Quality, B − A", isRelative: false, metrics: scores }),
    buildForestGroup({ title: "Cost, time and tokens, B − A relative to A", isRelative: true, metrics: economy }),
  ].filter(({ rows }) => rows.length > 0);
}

/** Where A is next to nothing, everything is many times as much: the plot ends here, and the table has the figure. */
const MAX_RELATIVE = 10;

interface ForestGroupOptions {
  readonly title: string;
  readonly isRelative: boolean;
  readonly metrics: readonly MetricComparison[];
}

function buildForestGroup({ title, isRelative, metrics }: ForestGroupOptions): ForestGroup {
  const drawn = metrics.flatMap((metric) => {
    const unit = isRelative ? Math.abs(metric.a ?? 0) : 1;
    return metric.difference === null || unit === 0 ? [] : [{ metric, unit, difference: metric.difference }];
  });
  const values = drawn.flatMap(({ metric: { low, high }, unit, difference }) =>
    [difference, low ?? difference, high ?? difference].map((value) => Math.abs(value / unit)),
  );
  const limit = Math.min(roundUpToScale(Math.max(0, ...values)), isRelative ? MAX_RELATIVE : Number.POSITIVE_INFINITY);
  const place = (value: number, unit: number) => Math.min(1, Math.max(0, (value / unit / limit + 1) / 2));
  const rows = drawn.map(({ metric, unit, difference }) => ({
    metric,
    at: place(difference, unit),
    low: metric.low === null ? null : place(metric.low, unit),
    high: metric.high === null ? null : place(metric.high, unit),
  }));
  return { title, isRelative, limit, rows };
}

/** The next number with one digit that is 1, 2 or 5; 1 when nothing differs. */
function roundUpToScale(value: number): number {
  if (!Number.isFinite(value)) return value;
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [1, 2, 5, 10].find((candidate) => candidate * power >= value * (1 - 1e-12)) ?? 10;
  return digit * power;
}
