import type { EvalConfig } from "../../../core/result.js";
import { createRandom, hashSeed, paretoFronts, permutation, type Random } from "../../../stats/index.js";
import type { QualityCostChart } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";
import { type UnitSums, unitSums } from "./unit-sums.js";

const RESAMPLES = 500;
/** Additions that all resamples together may take: some tenths of a second. */
const MOST_WORK = 4e7;
const LEAST_UNITS = 200;

export interface MembershipOptions
  extends Pick<EvalConfig, "scoreField" | "seed">,
    Pick<QualityCostChart, "costUnit"> {}

/**
 * How often each system is on the quality–cost front when the tasks are drawn again: the same tasks for all systems,
 * each with all its trials. Null for all when there are fewer than two tasks to draw from.
 */
export function frontMembership(
  systems: readonly ChartSystem[],
  { scoreField, seed, costUnit }: MembershipOptions,
): Map<string, number | null> {
  const names = systems.map(({ name }) => name);
  const random = createRandom(hashSeed("front membership", seed));
  const sums = dealt(unitSums(systems, { scoreField, costUnit }), random);
  const size = sums[0]?.scores.length ?? 0;
  if (size < 2) return new Map(names.map((name) => [name, null]));
  const tally = names.map(() => ({ on: 0, asked: 0 }));
  const drawn = new Uint32Array(size);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    draw(drawn, random);
    const points = sums.map((own) => pointOf(own, drawn));
    const fronts = paretoFronts(points);
    for (const [i, count] of tally.entries()) {
      if (points[i]?.quality == null || points[i].cost == null) continue;
      count.asked += 1;
      if (fronts[i] === 1) count.on += 1;
    }
  }
  return new Map(names.map((name, i) => [name, shareOf(tally[i])]));
}

function shareOf(count: { on: number; asked: number } | undefined): number | null {
  return count === undefined || count.asked === 0 ? null : count.on / count.asked;
}

function draw(drawn: Uint32Array, random: Random): void {
  drawn.fill(0);
  for (let i = 0; i < drawn.length; i++) {
    const unit = random.int(drawn.length);
    drawn[unit] = (drawn[unit] ?? 0) + 1;
  }
}

function pointOf(sums: UnitSums, drawn: Uint32Array): { quality: number | null; cost: number | null } {
  return { quality: meanOf(sums.scores, sums.scored, drawn), cost: meanOf(sums.costs, sums.priced, drawn) };
}

function meanOf(totals: Float64Array, counts: Float64Array, drawn: Uint32Array): number | null {
  let total = 0;
  let count = 0;
  for (let i = 0; i < drawn.length; i++) {
    const times = drawn[i] ?? 0;
    total += times * (totals[i] ?? 0);
    count += times * (counts[i] ?? 0);
  }
  return count === 0 ? null : total / count;
}

/**
 * Very many units are dealt out at random into fewer, and these are drawn: a mean over sums of independent tasks varies
 * as one over the tasks does, and the work stays the same however large the run is.
 */
function dealt(sums: readonly UnitSums[], random: Random): readonly UnitSums[] {
  const size = sums[0]?.scores.length ?? 0;
  const most = Math.max(LEAST_UNITS, Math.floor(MOST_WORK / (RESAMPLES * (1 + 4 * sums.length))));
  if (size <= most) return sums;
  const order = permutation(size, random);
  const deal = (values: Float64Array) => {
    const hands = new Float64Array(most);
    for (let i = 0; i < size; i++) hands[i % most] = (hands[i % most] ?? 0) + (values[order[i] ?? 0] ?? 0);
    return hands;
  };
  return sums.map(({ scores, scored, costs, priced }) => ({
    scores: deal(scores),
    scored: deal(scored),
    costs: deal(costs),
    priced: deal(priced),
  }));
}
