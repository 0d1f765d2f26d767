import {
  type FrontPoint,
  findDominators,
  findFrontNames,
  findHullNames,
} from "../../../../src/report/dashboard/charts/front.js";
import { placeCostSpeedPoints } from "../../../../src/report/dashboard/charts/select.js";
import type {
  CardFigure,
  CostSpeedChart,
  QualityCostChart,
  QualityCostPoint,
  RadarChart,
  SystemCard,
} from "../../../../src/report/dashboard/contract.js";
import { median } from "../../../../src/stats/quantile.js";
import type { LeaderboardEntry } from "../run-groups.js";

/**
 * The quality–cost chart of a leaderboard (numbers.md §6). The membership is unknown, because resampling needs the
 * rows.
 */
export function buildQualityCostChart(entries: readonly LeaderboardEntry[]): QualityCostChart {
  const costUnit = chooseCostUnit(entries);
  const bare = entries.map((entry) => buildQualityCostPoint(entry, costUnit));
  const placed = bare.flatMap(({ system, cost, quality }) => listFrontPoints(system, cost, quality));
  const points = bare.map((point) => ({ ...point, dominatedBy: findDominatingSystems(point.system, placed) }));
  return { costUnit, points, front: findFrontNames(placed), hull: findHullNames(placed) };
}

const COST_FIGURES = { usd: "mean_cost_usd", tokens: "mean_output_tokens" } as const;

/** As for a run: tokens where no price is known. */
function chooseCostUnit(entries: readonly LeaderboardEntry[]): QualityCostChart["costUnit"] {
  const isKnown = (figure: CardFigure) => entries.some(({ card }) => card.figures[figure] !== null);
  return !isKnown(COST_FIGURES.usd) && isKnown(COST_FIGURES.tokens) ? "tokens" : "usd";
}

function buildQualityCostPoint(
  { name, card: { harness, figures } }: LeaderboardEntry,
  costUnit: QualityCostChart["costUnit"],
): Omit<QualityCostPoint, "dominatedBy"> {
  return {
    system: name,
    harness,
    cost: figures[COST_FIGURES[costUnit]],
    quality: figures.mean_score,
    low: figures.mean_score_ci_low,
    high: figures.mean_score_ci_high,
    n: figures.mean_score_n ?? 0,
    membership: null,
  };
}

/** Empty when one of both is not known. */
function listFrontPoints(name: string, cost: number | null, gain: number | null): FrontPoint[] {
  return cost === null || gain === null ? [] : [{ name, cost, gain }];
}

function findDominatingSystems(name: string, placed: readonly FrontPoint[]): string[] {
  return placed.filter((place) => place.name === name).flatMap((place) => findDominators(place, placed));
}

export function buildCostSpeedChart(entries: readonly LeaderboardEntry[]): CostSpeedChart {
  const isPriced = entries.some(({ card }) => card.figures.cost_per_pass_usd !== null);
  const hasTokens = entries.some(({ card }) => card.figures.cost_of_pass !== null);
  const costUnit = !isPriced && hasTokens ? "tokens" : "usd";
  const points = entries.map(({ name, card }) => {
    const costPerPass = card.figures[costUnit === "usd" ? "cost_per_pass_usd" : "cost_of_pass"];
    return {
      system: name,
      harness: card.harness,
      costPerPass,
      secondsPerPass: card.figures.seconds_per_pass,
      passRate: card.figures.pass_rate,
      leftOut: explainOmission(card, costPerPass),
    };
  });
  return { costUnit, ...placeCostSpeedPoints(points) };
}

function explainOmission({ figures, outcomes }: SystemCard, costPerPass: number | null): string | null {
  if (outcomes.pass === 0) return "nothing passed";
  if (costPerPass === null) return "the cost is unknown";
  return figures.seconds_per_pass === null ? "the time was not measured" : null;
}

function getSecondsToSuccess({ figures }: SystemCard): number | null {
  return figures.median_time_to_success_ms === null ? null : figures.median_time_to_success_ms / 1000;
}

/** Clipped at five times the median of the systems. */
export function buildRadarChart(entries: readonly LeaderboardEntry[]): RadarChart {
  const seconds = entries.flatMap(({ card }) => getSecondsToSuccess(card) ?? []);
  const limitSeconds = seconds.length === 0 ? null : 5 * median(seconds);
  const spokes = entries.map(({ name, card }) => {
    const own = getSecondsToSuccess(card);
    return { system: name, seconds: own, isClipped: own !== null && limitSeconds !== null && own > limitSeconds };
  });
  return { limitSeconds, spokes };
}
