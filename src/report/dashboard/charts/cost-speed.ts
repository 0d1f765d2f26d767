import type { CostSpeedChart, CostSpeedPoint } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { type FrontPoint, findDominators, findFrontNames } from "./front.js";

/** Dollars and seconds per pass; failures are charged to the passes on both axes. */
export function buildCostSpeedChart(systems: readonly ChartSystem[]): CostSpeedChart {
  const bare = systems.map(buildCostSpeedPoint);
  const placed = bare.flatMap(toCostSpeedFrontPoint);
  const points = bare.map((point) => ({
    ...point,
    dominatedBy: toCostSpeedFrontPoint(point).flatMap((place) => findDominators(place, placed)),
  }));
  return { points, front: findFrontNames(placed) };
}

type CostSpeedValues = Omit<CostSpeedPoint, "dominatedBy">;

function buildCostSpeedPoint(system: ChartSystem): CostSpeedValues {
  const { name, harness, figure } = system;
  const costPerPassUsd = figure("cost_per_pass_usd");
  const secondsPerPass = figure("seconds_per_pass");
  return {
    system: name,
    harness,
    costPerPassUsd,
    secondsPerPass,
    passRate: figure("pass_rate"),
    leftOut: costPerPassUsd === null || secondsPerPass === null ? explainMissingPoint(system, costPerPassUsd) : null,
  };
}

function explainMissingPoint({ figure, why }: ChartSystem, costPerPassUsd: number | null): string {
  if (figure("num_pass") === 0) return "nothing passed";
  if (costPerPassUsd !== null) return `the time per pass is unknown: ${why("seconds_per_pass") ?? "not measured"}`;
  return `the cost per pass is unknown: ${why("cost_per_pass_usd") ?? "not measured"}`;
}

/** Lower is better on both axes, so one of them is negated into a gain. */
function toCostSpeedFrontPoint({ system, costPerPassUsd, secondsPerPass }: CostSpeedValues): FrontPoint[] {
  if (costPerPassUsd === null || secondsPerPass === null) return [];
  return [{ name: system, gain: -secondsPerPass, cost: costPerPassUsd }];
}
