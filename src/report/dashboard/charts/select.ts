import type { CostSpeedChart, CostSpeedPoint, QualityCostChart, QualityCostPoint } from "../contract.js";
import { type FrontPoint, findDominators, findFrontNames, findHullNames } from "./front.js";

/** Finds the front, and what dominates each point. */
export function placeCostSpeedPoints(
  bare: readonly Omit<CostSpeedPoint, "dominatedBy">[],
): Pick<CostSpeedChart, "points" | "front"> {
  const placed = bare.flatMap(toCostSpeedFrontPoint);
  const points = bare.map((point) => ({
    ...point,
    dominatedBy: toCostSpeedFrontPoint(point).flatMap((place) => findDominators(place, placed)),
  }));
  return { points, front: findFrontNames(placed) };
}

/** Lower is better on both axes, so one of them is negated into a gain. */
function toCostSpeedFrontPoint({
  system,
  costPerPass,
  secondsPerPass,
  leftOut,
}: Omit<CostSpeedPoint, "dominatedBy">): FrontPoint[] {
  if (leftOut !== null || costPerPass === null || secondsPerPass === null) return [];
  return [{ name: system, gain: -secondsPerPass, cost: costPerPass }];
}

/** The chart of some of its systems, with the front among them. */
export function selectCostSpeed(chart: CostSpeedChart, isSelected: (system: string) => boolean): CostSpeedChart {
  return { ...chart, ...placeCostSpeedPoints(chart.points.filter(({ system }) => isSelected(system))) };
}

/** The chart of some of its systems, with the front among them. How certain that is, only resampling could tell. */
export function selectQualityCost(chart: QualityCostChart, isSelected: (system: string) => boolean): QualityCostChart {
  const kept = chart.points.filter(({ system }) => isSelected(system));
  if (kept.length === chart.points.length) return chart;
  const placed = kept.flatMap(toQualityCostFrontPoint);
  const points = kept.map((point) => ({
    ...point,
    dominatedBy: toQualityCostFrontPoint(point).flatMap((place) => findDominators(place, placed)),
    membership: null,
  }));
  return { ...chart, points, front: findFrontNames(placed), hull: findHullNames(placed) };
}

function toQualityCostFrontPoint({ system, cost, quality }: QualityCostPoint): FrontPoint[] {
  return cost === null || quality === null ? [] : [{ name: system, cost, gain: quality }];
}
