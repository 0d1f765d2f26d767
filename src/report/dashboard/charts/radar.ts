import { median } from "../../../stats/index.js";
import type { RadarChart } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";

const MAX_TIMES_MEDIAN = 5;

/** The median time to success of each system; outliers are clipped in the chart but keep their value. */
export function buildRadarChart(systems: readonly ChartSystem[]): RadarChart {
  const times = systems.map((system) => ({ system: system.name, seconds: readSecondsToSuccess(system) }));
  const known = times.flatMap(({ seconds }) => seconds ?? []);
  const limitSeconds = known.length === 0 ? null : MAX_TIMES_MEDIAN * median(known);
  const isClipped = (seconds: number | null) => seconds !== null && limitSeconds !== null && seconds > limitSeconds;
  return { limitSeconds, spokes: times.map((spoke) => ({ ...spoke, isClipped: isClipped(spoke.seconds) })) };
}

/** Null when nothing passed or no time was measured. */
function readSecondsToSuccess({ figure }: ChartSystem): number | null {
  const ms = figure("median_time_to_success_ms");
  return ms === null ? null : ms / 1000;
}
