import { spearman } from "../../stats/index.js";
import type { LengthBias, PairLengthBias, PositionBias } from "./calibration.js";
import { estimateOf, type JudgedLabel, meanDifference, rateOf } from "./compare.js";
import type { JudgeScale } from "./scale.js";
import type { Winner } from "./verdict.js";

/** How much the place of an answer decides. Both orders of a pair, and what several judges say of it, are one item. */
export function positionBias(items: readonly JudgedLabel[]): PositionBias {
  const orders = items.flatMap((item) => item.orders);
  const pairs = items.filter((item) => item.orders.length > 0).length;
  const decided = items.filter((item) => item.orders.flat().some((winner) => winner !== "tie")).length;
  const flipped = orders.filter(([first, second]) => first !== second);
  const contradicted = flipped.filter((both) => !both.includes("tie"));
  return {
    firstShown: rateOf(firstShown(orders), orders.flat().filter((winner) => winner !== "tie").length, decided),
    flipped: rateOf(flipped.length, orders.length, pairs),
    contradicted: rateOf(contradicted.length, orders.length, pairs),
  };
}

/** A is the response, which is shown first in the first order and second in the second. */
function firstShown(orders: readonly (readonly [Winner, Winner])[]): number {
  return orders.reduce((first, [one, two]) => first + Number(one === "A") + Number(two === "B"), 0);
}

/** How much the length of a response decides. */
export function lengthBias(items: readonly JudgedLabel[], scale: JudgeScale): LengthBias {
  return {
    kind: "single",
    correlation: estimateOf(items, lengthCorrelation),
    longerHalf: estimateOf(items, (sample) => longerHalf(sample, scale)),
  };
}

function lengthCorrelation(items: readonly JudgedLabel[]): number | null {
  return spearman(
    items.map(({ judge, people }) => judge - people),
    items.map(({ length }) => length),
  );
}

/** Of an odd number of items the middle one is in neither half. Null when all have the same length. */
function longerHalf(items: readonly JudgedLabel[], scale: JudgeScale): number | null {
  const sorted = items.toSorted((a, b) => a.length - b.length);
  if (sorted.length < 2 || sorted[0]?.length === sorted.at(-1)?.length) return null;
  const half = Math.floor(sorted.length / 2);
  const shorter = meanDifference(sorted.slice(0, half), scale);
  const longer = meanDifference(sorted.slice(-half), scale);
  return shorter === null || longer === null ? null : longer - shorter;
}

/** How often the longer of two answers is preferred, by the judge and by people, over the same pairs. */
export function pairLengthBias(items: readonly JudgedLabel[]): PairLengthBias {
  const decided = items.filter(
    ({ judge, people, length, otherLength }) => judge !== 0.5 && people !== 0.5 && length !== otherLength,
  );
  const share = (who: "judge" | "people") => (sample: readonly JudgedLabel[]) =>
    sample.filter((item) => prefersLonger(item, who)).length;
  const difference = (sample: readonly JudgedLabel[]) =>
    sample.length === 0 ? null : (share("judge")(sample) - share("people")(sample)) / sample.length;
  return {
    kind: "pairwise",
    judge: rateOf(share("judge")(decided), decided.length),
    people: rateOf(share("people")(decided), decided.length),
    difference: estimateOf(decided, difference),
  };
}

function prefersLonger(item: JudgedLabel, who: "judge" | "people"): boolean {
  return item[who] > 0.5 === item.length > (item.otherLength ?? 0);
}
