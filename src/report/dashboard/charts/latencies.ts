import { hasOutput } from "../../../core/row.js";
import { quantileSorted } from "../../../stats/index.js";
import type { LatencySpread } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";

const BIN_COUNT = 30;

/** All systems share the same bins. */
export function buildLatencySpreads(systems: readonly ChartSystem[]): LatencySpread[] {
  const spreads = systems.map((system) => ({ system: system.name, sorted: listLatencies(system) }));
  const edges = computeLogEdges(
    spreads.map(({ sorted }) => sorted),
    BIN_COUNT,
  );
  return spreads.map(({ system, sorted }) => ({
    system,
    n: sorted.length,
    quantiles: computeQuantiles(sorted),
    bins: countPerBin(edges, sorted),
  }));
}

/** Seconds inside the system, of trials with an output. */
function listLatencies({ rows }: ChartSystem): Float64Array {
  const known: number[] = [];
  for (const row of rows) if (row.latency != null && row.latency >= 0 && hasOutput(row)) known.push(row.latency);
  return Float64Array.from(known).sort();
}

function computeQuantiles(sorted: Float64Array): LatencySpread["quantiles"] {
  if (sorted.length === 0) return null;
  const at = (p: number) => quantileSorted(sorted, p);
  return { min: at(0), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** A wider range is an outlier: smaller values share the first bin. */
const MAX_SPREAD = 1e6;

/** Includes the lower end. */
interface LatencyBin {
  from: number;
  to: number;
  count: number;
}

/**
 * Edges of bins of equal width on a logarithmic scale, for sorted non-negative values; empty without values. The first
 * bin begins at the smallest value, which may be 0.
 */
function computeLogEdges(lists: readonly Float64Array[], bins: number): number[] {
  const filled = lists.filter(({ length }) => length > 0);
  if (filled.length === 0) return [];
  const least = Math.min(...filled.map((values) => values[0] ?? 0));
  const most = Math.max(...filled.map((values) => values.at(-1) ?? 0));
  if (least === most) return [least, most];
  const start = Math.max(findSmallestPositive(filled), most / MAX_SPREAD);
  if (start === most) return [least, most];
  const step = Math.log(most / start) / bins;
  const inner = Array.from({ length: bins - 1 }, (_, i) => start * Math.exp(step * (i + 1)));
  // If values differ only by rounding, edges may coincide.
  return [least, ...inner.filter((edge, i) => edge > (inner[i - 1] ?? least) && edge < most), most];
}

/** The last bin includes its upper end. */
function countPerBin(edges: readonly number[], sorted: Float64Array): LatencyBin[] {
  const bins = edges.slice(1).map((to, i) => ({ from: edges[i] ?? 0, to, count: 0 }));
  let at = 0;
  for (const value of sorted) {
    while (at < bins.length - 1 && value >= (bins[at]?.to ?? 0)) at += 1;
    const bin = bins[at];
    if (bin !== undefined) bin.count += 1;
  }
  return bins;
}

function findSmallestPositive(lists: readonly Float64Array[]): number {
  return Math.min(...lists.map((values) => values.find((value) => value > 0) ?? Number.POSITIVE_INFINITY));
}
