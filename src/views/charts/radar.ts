import { median } from "../../stats/index.js";
import type { RadarChart } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { secondsToSuccess } from "./cost-speed.js";

const TIMES_THE_MEDIAN = 5;
const LEAST_SECONDS = 30;

/** The median time to success of each system; those far beyond the others are clipped, and keep their real value. */
export function radarChart(systems: readonly ChartSystem[]): RadarChart {
  const times = systems.map((system) => ({ system: system.name, seconds: secondsToSuccess(system) }));
  const known = times.flatMap(({ seconds }) => seconds ?? []);
  const limitSeconds = known.length === 0 ? null : Math.max(TIMES_THE_MEDIAN * median(known), LEAST_SECONDS);
  const isClipped = (seconds: number | null) => seconds !== null && limitSeconds !== null && seconds > limitSeconds;
  return { limitSeconds, spokes: times.map((spoke) => ({ ...spoke, isClipped: isClipped(spoke.seconds) })) };
}
