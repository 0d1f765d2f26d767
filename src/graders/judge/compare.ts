import { bootstrapInterval, cohenKappa, crossTable, mean, normalQuantile, quadraticKappa } from "../../stats/index.js";
import { NO_INTERVAL } from "../../stats/interval.js";
import { wilsonBounds } from "../../stats/wilson.js";
import type { Estimate, JudgeAgreement } from "./calibration.js";
import { type JudgeScale, scaleOf } from "./scale.js";
import type { Winner } from "./verdict.js";

/** A row that people and the judge have both judged, as shares in [0, 1]. */
export interface JudgedLabel {
  readonly people: number;
  readonly judge: number;
  readonly length: number;
  readonly otherLength: number | null;
  /** Of a pair, what each judge said in both orders. */
  readonly orders: readonly (readonly [Winner, Winner])[];
}

const PAIR_CATEGORIES = ["b", "tie", "a"];

/** The categories of a scale, the worst first. */
function categoriesOf(scale: JudgeScale | "pairwise"): string[] {
  return scale === "pairwise" ? PAIR_CATEGORIES : scaleOf(scale).values.map(String);
}

/** The category of a share: the nearest value of the scale; of a pair, who is ahead. */
function categoryOf(share: number, scale: JudgeScale | "pairwise"): number {
  if (scale === "pairwise") return 1 + Math.sign(share - 0.5);
  return Math.round(share * (scaleOf(scale).values.length - 1));
}

/** Points of the scale in a share of 1. */
function spanOf(scale: JudgeScale | "pairwise"): number {
  if (scale === "pairwise") return 1;
  const { low, high } = scaleOf(scale);
  return high - low;
}

/** How far the judge agrees with people. */
export function agreementWith(items: readonly JudgedLabel[], scale: JudgeScale | "pairwise"): JudgeAgreement {
  const categories = categoriesOf(scale);
  const pairs = items.map(({ people, judge }) => [categoryOf(people, scale), categoryOf(judge, scale)] as const);
  const agreed = pairs.filter(([people, judge]) => people === judge).length;
  const isOrdinal = scale !== "pairwise" && categories.length > 2;
  const tableOf = (sample: readonly (readonly [number, number])[]) =>
    crossTable(
      sample.map(([people]) => people),
      sample.map(([, judge]) => judge),
      categories.length,
    );
  return {
    accuracy: rateOf(agreed, items.length),
    kappa: estimateOf(pairs, (sample) => cohenKappa(tableOf(sample))),
    quadraticKappa: isOrdinal ? estimateOf(pairs, (sample) => quadraticKappa(tableOf(sample))) : null,
    meanDifference: scale === "pairwise" ? null : estimateOf(items, (sample) => meanDifference(sample, scale)),
    categories,
    confusion: tableOf(pairs),
  };
}

/** The mean of judge − people in points of the scale; null without items. */
export function meanDifference(items: readonly JudgedLabel[], scale: JudgeScale | "pairwise"): number | null {
  return items.length === 0 ? null : mean(items.map(({ judge, people }) => judge - people)) * spanOf(scale);
}

/** From fewer items nothing can be told: resamples of two rows are hardly more than these two rows. */
const FEWEST = 10;
const Z = normalQuantile(0.975);

/**
 * A share of n verdicts with Wilson's interval over the items they are about: two orders of a pair, or three judges of
 * one, are not two or three items.
 */
export function rateOf(hits: number, n: number, items = n): Estimate {
  if (n === 0) return { value: null, ...NO_INTERVAL, n };
  const value = hits / n;
  return { value, ...(items < FEWEST ? NO_INTERVAL : wilsonBounds(value, items, Z)), n };
}

/** Sorting every resample of very many labels would take longer than the judge did. */
const MOST_DRAWS = 2e6;

/** Any figure of the items, with a bootstrap interval over them; with none when they are too few. */
export function estimateOf<T>(items: readonly T[], figure: (items: readonly T[]) => number | null): Estimate {
  const value = figure(items);
  if (value === null || items.length < FEWEST) return { value, ...NO_INTERVAL, n: items.length };
  const resamples = Math.min(2000, Math.max(200, Math.floor(MOST_DRAWS / items.length)));
  const { low, high } = bootstrapInterval(items, (sample) => figure(sample) ?? Number.NaN, { seed: 0, resamples });
  return { value, low, high, n: items.length };
}
