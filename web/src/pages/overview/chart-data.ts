import {
  type FrontPoint,
  findDominators,
  findFrontNames,
  findHullNames,
} from "../../../../src/report/dashboard/charts/front.js";
import type {
  CardFigure,
  CostSpeedChart,
  CostSpeedPoint,
  QualityCostChart,
  QualityCostPoint,
  RadarChart,
  SystemCard,
} from "../../../../src/report/dashboard/contract.js";
import { median } from "../../../../src/stats/quantile.js";
import type { Entry } from "./parts.js";

/** The quality–cost chart of some lines (numbers.md §6). Resampling needs the rows, so nobody knows the membership. */
export function qualityCostOf(entries: readonly Entry[]): QualityCostChart {
  const costUnit = unitOf(entries);
  const bare = entries.map((entry) => qualityCostPoint(entry, costUnit));
  const placed = bare.flatMap(({ system, cost, quality }) => placedAt(system, cost, quality));
  const points = bare.map((point) => ({ ...point, dominatedBy: beatenBy(point.system, placed) }));
  return { costUnit, points, front: findFrontNames(placed), hull: findHullNames(placed) };
}

/** The figure that holds the mean cost of an attempt, by its unit. */
const COSTS = { usd: "mean_cost_usd", tokens: "mean_output_tokens" } as const;

/** As for a run: tokens where nobody knows any price. */
function unitOf(entries: readonly Entry[]): QualityCostChart["costUnit"] {
  const isKnown = (figure: CardFigure) => entries.some(({ card }) => card.figures[figure] !== null);
  return !isKnown(COSTS.usd) && isKnown(COSTS.tokens) ? "tokens" : "usd";
}

function qualityCostPoint(
  { name, card: { harness, figures } }: Entry,
  costUnit: QualityCostChart["costUnit"],
): Omit<QualityCostPoint, "dominatedBy"> {
  return {
    system: name,
    harness,
    cost: figures[COSTS[costUnit]],
    quality: figures.mean_score,
    low: figures.mean_score_ci_low,
    high: figures.mean_score_ci_high,
    n: figures.mean_score_n ?? 0,
    membership: null,
  };
}

/** Nowhere when one of both is not known. */
function placedAt(name: string, cost: number | null, gain: number | null): FrontPoint[] {
  return cost === null || gain === null ? [] : [{ name, cost, gain }];
}

function beatenBy(name: string, placed: readonly FrontPoint[]): string[] {
  return placed.filter((place) => place.name === name).flatMap((place) => findDominators(place, placed));
}

/** The cost–speed chart of some lines. */
export function costSpeedOf(entries: readonly Entry[]): CostSpeedChart {
  const placed = entries.flatMap(({ name, card }) => {
    const seconds = card.figures.seconds_per_pass;
    if (seconds === null || reasonToLeaveOut(card) !== null) return [];
    // Both axes are better the lower; of a front, one of them is what is gained.
    return placedAt(name, card.figures.cost_per_pass_usd, -seconds);
  });
  return { points: entries.map((entry) => costSpeedPoint(entry, placed)), front: findFrontNames(placed) };
}

function costSpeedPoint({ name, card }: Entry, placed: readonly FrontPoint[]): CostSpeedPoint {
  return {
    system: name,
    harness: card.harness,
    costPerPassUsd: card.figures.cost_per_pass_usd,
    secondsPerPass: card.figures.seconds_per_pass,
    passRate: card.figures.pass_rate,
    dominatedBy: beatenBy(name, placed),
    leftOut: reasonToLeaveOut(card),
  };
}

function reasonToLeaveOut({ figures, outcomes }: SystemCard): string | null {
  if (outcomes.pass === 0) return "nothing passed";
  if (figures.cost_per_pass_usd === null) return "its cost is not known";
  return figures.seconds_per_pass === null ? "its time was not measured" : null;
}

function secondsOf({ figures }: SystemCard): number | null {
  return figures.median_time_to_success_ms === null ? null : figures.median_time_to_success_ms / 1000;
}

/** The speed radar of some lines: clipped at five times the median of the systems. */
export function radarOf(entries: readonly Entry[]): RadarChart {
  const seconds = entries.flatMap(({ card }) => secondsOf(card) ?? []);
  const limitSeconds = seconds.length === 0 ? null : 5 * median(seconds);
  const spokes = entries.map(({ name, card }) => {
    const own = secondsOf(card);
    return { system: name, seconds: own, isClipped: own !== null && limitSeconds !== null && own > limitSeconds };
  });
  return { limitSeconds, spokes };
}
