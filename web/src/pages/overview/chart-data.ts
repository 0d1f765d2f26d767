import { median } from "../../../../src/stats/quantile.js";
import type {
  CostSpeedChart,
  CostSpeedPoint,
  QualityCostChart,
  RadarChart,
  SystemCard,
} from "../../../../src/views/contract.js";
import { dominators, frontOf, hullOf, type Placed } from "./dominance.js";
import type { Entry } from "./parts.js";

/** The quality–cost chart of some lines (numbers.md §6). Resampling needs the rows, so nobody knows the membership. */
export function qualityCostOf(entries: readonly Entry[]): QualityCostChart {
  const places = entries.map(({ name, card: { figures } }) => ({
    name,
    x: figures.mean_cost_usd,
    y: figures.mean_score,
  }));
  const beaten = dominators(places, "high");
  const points = entries.map(({ name, card: { harness, figures } }, place) => ({
    system: name,
    harness,
    costUsd: figures.mean_cost_usd,
    quality: figures.mean_score,
    low: figures.mean_score_ci_low,
    high: figures.mean_score_ci_high,
    n: figures.mean_score_n ?? 0,
    dominatedBy: beaten[place] ?? [],
    membership: null,
  }));
  return { points, front: frontOf(places, "high"), hull: hullOf(places) };
}

/** The cost–speed chart of some lines. */
export function costSpeedOf(entries: readonly Entry[]): CostSpeedChart {
  const places = entries.map(({ name, card }) => {
    const isLeftOut = reasonToLeaveOut(card) !== null;
    return { name, x: isLeftOut ? null : card.figures.cost_per_pass_usd, y: secondsOf(card) };
  });
  const beaten = dominators(places, "low");
  const points = entries.map((entry, place) => costSpeedPoint(entry, places[place], beaten[place] ?? []));
  return { points, front: frontOf(places, "low") };
}

function costSpeedPoint({ name, card }: Entry, place: Placed | undefined, dominatedBy: string[]): CostSpeedPoint {
  return {
    system: name,
    harness: card.harness,
    costPerPassUsd: card.figures.cost_per_pass_usd,
    seconds: place?.y ?? null,
    passRate: card.figures.pass_rate,
    dominatedBy,
    leftOut: reasonToLeaveOut(card),
  };
}

function reasonToLeaveOut({ figures, outcomes }: SystemCard): string | null {
  if (outcomes.pass === 0) return "nothing passed";
  if (figures.cost_per_pass_usd === null) return "its cost is not known";
  return figures.median_time_to_success_ms === null ? "its time to success was not measured" : null;
}

function secondsOf({ figures }: SystemCard): number | null {
  return figures.median_time_to_success_ms === null ? null : figures.median_time_to_success_ms / 1000;
}

/** However fast all systems are, none is clipped under this. */
const LEAST_LIMIT_SECONDS = 30;

/** The speed radar of some lines: clipped at five times the median of the systems, never under 30 s. */
export function radarOf(entries: readonly Entry[]): RadarChart {
  const seconds = entries.flatMap(({ card }) => secondsOf(card) ?? []);
  const limitSeconds = seconds.length === 0 ? null : Math.max(5 * median(seconds), LEAST_LIMIT_SECONDS);
  const spokes = entries.map(({ name, card }) => {
    const own = secondsOf(card);
    return { system: name, seconds: own, isClipped: own !== null && limitSeconds !== null && own > limitSeconds };
  });
  return { limitSeconds, spokes };
}
