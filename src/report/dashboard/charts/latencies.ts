import { hasOutput } from "../../../core/row.js";
import { quantileSorted } from "../../../stats/index.js";
import type { LatencySpread } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { countInto, logEdges } from "./log-bins.js";

const BINS = 30;

/** How long the trials of each system took, in bins that all systems share. */
export function latencySpreads(systems: readonly ChartSystem[]): LatencySpread[] {
  const spreads = systems.map((system) => ({ system: system.name, sorted: latenciesOf(system) }));
  const edges = logEdges(
    spreads.map(({ sorted }) => sorted),
    BINS,
  );
  return spreads.map(({ system, sorted }) => ({
    system,
    n: sorted.length,
    quantiles: quantilesOf(sorted),
    bins: countInto(edges, sorted),
  }));
}

/** Seconds inside the system, of trials that gave something back. */
function latenciesOf({ rows }: ChartSystem): Float64Array {
  const known: number[] = [];
  for (const row of rows) if (row.latency != null && row.latency >= 0 && hasOutput(row)) known.push(row.latency);
  return Float64Array.from(known).sort();
}

function quantilesOf(sorted: Float64Array): LatencySpread["quantiles"] {
  if (sorted.length === 0) return null;
  const at = (p: number) => quantileSorted(sorted, p);
  return { min: at(0), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95), p99: at(0.99), max: at(1) };
}
