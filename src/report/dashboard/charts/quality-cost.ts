import type { EvalConfig } from "../../../core/result.js";
import { withinScores } from "../card-figures.js";
import type { QualityCostChart, QualityCostPoint } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { dominatorsOf, frontOf, hullOf, type Placed } from "./front.js";
import { frontMembership } from "./membership.js";

/** Quality against the mean cost of an attempt, with who is on the front and how surely. */
export function qualityCostChart(
  systems: readonly ChartSystem[],
  config: Pick<EvalConfig, "scoreField" | "seed">,
): QualityCostChart {
  const costUnit = unitOf(systems);
  const bare = systems.map((system) => pointOf(system, costUnit));
  const placed = bare.flatMap(placeOf);
  const memberships = frontMembership(
    systems.filter(({ name }) => placed.some((place) => place.name === name)),
    { ...config, costUnit },
  );
  const points = bare.map((point) => ({
    ...point,
    dominatedBy: placeOf(point).flatMap((place) => dominatorsOf(place, placed)),
    membership: memberships.get(point.system) ?? null,
  }));
  return { costUnit, points, front: frontOf(placed), hull: hullOf(placed) };
}

/** Tokens where nobody knows any price: a front by what was written is better than none. */
function unitOf(systems: readonly ChartSystem[]): QualityCostChart["costUnit"] {
  const isKnown = (key: string) => systems.some(({ figure }) => figure(key) !== null);
  return !isKnown(COSTS.usd) && isKnown(COSTS.tokens) ? "tokens" : "usd";
}

/** The figure that holds the mean cost of an attempt, by its unit. */
const COSTS: Readonly<Record<QualityCostChart["costUnit"], string>> = {
  usd: "mean_cost_usd",
  tokens: "mean_output_tokens",
};

type BarePoint = Omit<QualityCostPoint, "dominatedBy" | "membership">;

function pointOf({ name, harness, figure }: ChartSystem, costUnit: QualityCostChart["costUnit"]): BarePoint {
  return {
    system: name,
    harness,
    cost: figure(COSTS[costUnit]),
    quality: figure("mean_score"),
    low: withinScores(figure("mean_score_ci_low")),
    high: withinScores(figure("mean_score_ci_high")),
    n: figure("mean_score_n") ?? 0,
  };
}

function placeOf({ system, cost, quality }: BarePoint): Placed[] {
  return cost === null || quality === null ? [] : [{ name: system, gain: quality, cost }];
}
