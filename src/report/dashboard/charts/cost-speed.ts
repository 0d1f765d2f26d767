import type { CostSpeedChart, CostSpeedPoint } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { dominatorsOf, frontOf, type Placed } from "./front.js";

/** Dollars and seconds per pass; failures are charged to the passes on both axes. */
export function costSpeedChart(systems: readonly ChartSystem[]): CostSpeedChart {
  const bare = systems.map(pointOf);
  const placed = bare.flatMap(placeOf);
  const points = bare.map((point) => ({
    ...point,
    dominatedBy: placeOf(point).flatMap((place) => dominatorsOf(place, placed)),
  }));
  return { points, front: frontOf(placed) };
}

type BarePoint = Omit<CostSpeedPoint, "dominatedBy">;

function pointOf(system: ChartSystem): BarePoint {
  const { name, harness, figure } = system;
  const costPerPassUsd = figure("cost_per_pass_usd");
  const secondsPerPass = figure("seconds_per_pass");
  return {
    system: name,
    harness,
    costPerPassUsd,
    secondsPerPass,
    passRate: figure("pass_rate"),
    leftOut: costPerPassUsd === null || secondsPerPass === null ? whyLeftOut(system, costPerPassUsd) : null,
  };
}

function whyLeftOut({ figure, why }: ChartSystem, costPerPassUsd: number | null): string {
  if (figure("num_pass") === 0) return "nothing passed";
  if (costPerPassUsd !== null) return `the time per pass is unknown: ${why("seconds_per_pass") ?? "not measured"}`;
  return `the cost per pass is unknown: ${why("cost_per_pass_usd") ?? "not measured"}`;
}

/** Lower is better on both axes, so one of them is negated into a gain. */
function placeOf({ system, costPerPassUsd, secondsPerPass }: BarePoint): Placed[] {
  if (costPerPassUsd === null || secondsPerPass === null) return [];
  return [{ name: system, gain: -secondsPerPass, cost: costPerPassUsd }];
}
