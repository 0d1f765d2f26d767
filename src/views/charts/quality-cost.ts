import type { EvalConfig } from "../../core/result.js";
import { withinScores } from "../card-figures.js";
import type { QualityCostChart, QualityCostPoint } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { dominatorsOf, frontOf, hullOf, type Placed } from "./front.js";
import { frontMembership } from "./membership.js";

/** Quality against the mean billed cost of an attempt, with who is on the front and how surely. */
export function qualityCostChart(
  systems: readonly ChartSystem[],
  config: Pick<EvalConfig, "scoreField" | "seed">,
): QualityCostChart {
  const bare = systems.map(pointOf);
  const placed = bare.flatMap(placeOf);
  const memberships = frontMembership(
    systems.filter(({ name }) => placed.some((place) => place.name === name)),
    config,
  );
  const points = bare.map((point) => ({
    ...point,
    dominatedBy: placeOf(point).flatMap((place) => dominatorsOf(place, placed)),
    membership: memberships.get(point.system) ?? null,
  }));
  return { points, front: frontOf(placed), hull: hullOf(placed) };
}

type BarePoint = Omit<QualityCostPoint, "dominatedBy" | "membership">;

function pointOf({ name, harness, figure }: ChartSystem): BarePoint {
  return {
    system: name,
    harness,
    costUsd: figure("mean_cost_usd"),
    quality: figure("mean_score"),
    low: withinScores(figure("mean_score_ci_low")),
    high: withinScores(figure("mean_score_ci_high")),
    n: figure("mean_score_n") ?? 0,
  };
}

function placeOf({ system, costUsd, quality }: BarePoint): Placed[] {
  return costUsd === null || quality === null ? [] : [{ name: system, gain: quality, cost: costUsd }];
}
