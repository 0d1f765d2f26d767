import type { CostSpeedChart, CostSpeedPoint } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { dominatorsOf, frontOf, type Placed } from "./front.js";

/** What a pass costs against how long it takes to come to one. */
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
  const seconds = secondsToSuccess(system);
  return {
    system: name,
    harness,
    costPerPassUsd,
    seconds,
    passRate: figure("pass_rate"),
    leftOut: costPerPassUsd === null || seconds === null ? whyLeftOut(system, costPerPassUsd) : null,
  };
}

/** The median time to success in seconds; null when nothing passed or no time was measured. */
export function secondsToSuccess({ figure }: ChartSystem): number | null {
  const ms = figure("median_time_to_success_ms");
  return ms === null ? null : ms / 1000;
}

function whyLeftOut({ figure, why }: ChartSystem, costPerPassUsd: number | null): string {
  if (figure("num_pass") === 0) return "nothing passed";
  if (costPerPassUsd !== null) return "the time to success was not measured";
  return `the cost of a pass is not known: ${why("cost_per_pass_usd") ?? "not measured"}`;
}

/** Both axes are better the lower; of a front, one of them is what is gained. */
function placeOf({ system, costPerPassUsd, seconds }: BarePoint): Placed[] {
  return costPerPassUsd === null || seconds === null ? [] : [{ name: system, gain: -seconds, cost: costPerPassUsd }];
}
