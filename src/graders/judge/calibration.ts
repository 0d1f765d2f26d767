import type { Estimate } from "../../stats/index.js";

import type { JudgeScale } from "./scale.js";

export type { Estimate };

/** How well a judge agrees with people. */
export interface JudgeAgreement {
  /** The share of items in the same category, with a Wilson interval. */
  readonly accuracy: Estimate;
  /** Cohen's kappa, with a bootstrap interval over items. */
  readonly kappa: Estimate;
  /** For scales with more than two values: kappa with quadratic weights. */
  readonly quadraticKappa: Estimate | null;
  /** The mean of judge − people, in points of the scale; null for pairs. */
  readonly meanDifference: Estimate | null;
  readonly categories: readonly string[];
  /** Counts by people's label (rows) and judge's label (columns). */
  readonly confusion: readonly (readonly number[])[];
}

/** How much the position of an answer affects the verdict, over all comparisons of all judges. */
export interface PositionBias {
  /** Of the verdicts with a winner, the share won by the answer shown first; 0.5 without a bias. Wilson interval over pairs, as for the others. */
  readonly firstShown: Estimate;
  /** The share of pairs whose verdict changes with the order. */
  readonly flipped: Estimate;
  /** The share of pairs with a different winner in each order. */
  readonly contradicted: Estimate;
}

/** How much the length of a response affects the verdict. */
export interface LengthBias {
  readonly kind: "single";
  /** Spearman's correlation of judge − people with the length of the response. */
  readonly correlation: Estimate;
  /** The mean of judge − people in the longer half minus that in the shorter half, in points of the scale. */
  readonly longerHalf: Estimate;
}

/** How often the longer of two answers is preferred, over pairs of different lengths where both the judge and people chose a winner. */
export interface PairLengthBias {
  readonly kind: "pairwise";
  readonly judge: Estimate;
  readonly people: Estimate;
  /** Judge − people. */
  readonly difference: Estimate;
}

/** A label row that cannot be used. */
export interface BadLabel {
  /** Counted from 1. */
  readonly row: number;
  readonly problem: string;
}

/** A row that the judge puts into another category than people. */
export interface Disagreement {
  /** Its number among the usable rows, from 1. */
  readonly row: number;
  readonly question: string | null;
  readonly response: string;
  /** Categories of the scale; for a pair "a", "b" or "tie". */
  readonly people: string;
  readonly judge: string;
}

/** How a judge compares with labels by people. */
export interface Calibration {
  readonly scale: JudgeScale | "pairwise";
  /** Rows that can be used. */
  readonly labels: number;
  readonly judged: number;
  /** Rows that the judge said it cannot judge, or gave no usable answer for. */
  readonly notJudged: number;
  /** Rows whose judge could not be reached. */
  readonly failed: number;
  /** Rows that were not sent to the judge because the calibration was stopped. */
  readonly notAsked: number;
  readonly badRows: readonly BadLabel[];
  /** Why rows were not judged: a few distinct reasons. */
  readonly reasons: readonly string[];
  /** Null if nothing was judged. */
  readonly agreement: JudgeAgreement | null;
  /** The rows on which the judge and people differ, the largest differences first. */
  readonly disagreements: readonly Disagreement[];
  /** Null unless the judge compares pairs. */
  readonly position: PositionBias | null;
  readonly length: LengthBias | PairLengthBias | null;
  /** The judge's cost; null if unknown. */
  readonly costUsd: number | null;
  /** True if the cost of some calls is unknown. */
  readonly isCostPartial: boolean;
}

/** A figure of a calibration, explained in plain words. */
export interface Finding {
  readonly figure: string;
  readonly estimate: Estimate;
  /** Whether the value is a share, shown as a percentage. */
  readonly isShare: boolean;
  readonly words: string;
}

/**
 * Lists the figures of a calibration, each explained in plain words. A bias is only reported if its interval excludes
 * chance.
 * @example
 * listFindings(calibration).map(({ words }) => words);
 */
export function listFindings({ agreement, position, length, scale }: Calibration): Finding[] {
  return [
    ...(agreement === null ? [] : listAgreementFindings(agreement, scale)),
    ...(position === null ? [] : listPositionFindings(position)),
    ...(length === null ? [] : listLengthFindings(length)),
  ];
}

function listAgreementFindings(agreement: JudgeAgreement, scale: Calibration["scale"]): Finding[] {
  const { accuracy, kappa, quadraticKappa, meanDifference } = agreement;
  const found = [
    makeShareFinding(
      "accuracy",
      accuracy,
      `agrees with people on ${formatFindingPercent(accuracy.value)} of ${accuracy.n} rows${formatDoubt(accuracy)}`,
    ),
    makePlainFinding("Cohen's kappa", kappa, describeKappa(agreement)),
  ];
  if (quadraticKappa !== null)
    found.push(makePlainFinding("quadratic kappa", quadraticKappa, describeQuadraticKappa(quadraticKappa)));
  if (meanDifference !== null)
    found.push(
      makePlainFinding(
        "judge − people",
        meanDifference,
        describeLeniency(meanDifference, scale === "binary" ? "pass rate" : "points"),
      ),
    );
  return found;
}

function describeQuadraticKappa(kappa: Estimate): string {
  return hasTooFewItems(kappa)
    ? formatTooFew(kappa, "rows")
    : `${describeStrength(kappa)}, with partial credit for near misses`;
}

function describeKappa({ kappa, confusion }: JudgeAgreement): string {
  if (kappa.value === null) return "not defined: people and the judge gave every row the same label";
  const isOneLabel = confusion.filter((row) => row.some((count) => count > 0)).length < 2;
  return isOneLabel ? "says little: people gave every row the same label" : describeStrength(kappa);
}

const STRENGTHS = [
  [0.8, "very good agreement beyond chance"],
  [0.6, "good agreement beyond chance"],
  [0.4, "moderate agreement beyond chance"],
  [0.2, "weak agreement beyond chance"],
  [0, "slight agreement beyond chance"],
] as const;

function describeStrength(kappa: Estimate): string {
  const { value, n } = kappa;
  if (value === null) return "not defined";
  if (hasTooFewItems(kappa)) return formatTooFew(kappa, "rows");
  if (compareToInterval(kappa, 0) <= 0) return `not significantly more agreement than by chance (${n} rows)`;
  return STRENGTHS.find(([least]) => value > least)?.[1] ?? "no more agreement than by chance";
}

function describeLeniency(difference: Estimate, unit: string): string {
  if (hasTooFewItems(difference)) return formatTooFew(difference, "rows");
  const side = compareToInterval(difference, 0);
  if (side === 0) return `no significant difference in strictness from people (${difference.n} rows)`;
  return `${side > 0 ? "more lenient" : "stricter"} than people by ${formatFindingNumber(Math.abs(difference.value ?? 0))} (${unit})`;
}

function describePositionBias(firstShown: Estimate): string {
  const { value, n } = firstShown;
  if (value === null) return "every verdict is a tie";
  if (hasTooFewItems(firstShown)) return formatTooFew(firstShown, "decided verdicts");
  const side = compareToInterval(firstShown, 0.5);
  if (side === 0)
    return `no significant position bias in ${n} verdicts: the first shown wins ${formatFindingPercent(value)}`;
  const place = side > 0 ? "first" : "second";
  return `favors the answer shown ${place}: the first shown wins ${formatFindingPercent(value)} of ${n} decided verdicts`;
}

function listPositionFindings({ firstShown, flipped, contradicted }: PositionBias): Finding[] {
  return [
    makeShareFinding("first shown wins", firstShown, describePositionBias(firstShown)),
    makeShareFinding(
      "flips when swapped",
      flipped,
      `the verdict changes with the order for ${formatFindingPercent(flipped.value)} of ${flipped.n} pairs${formatDoubt(flipped)}`,
    ),
    makeShareFinding(
      "winner changes",
      contradicted,
      `a different winner in each order for ${formatFindingPercent(contradicted.value)} of ${contradicted.n} pairs${formatDoubt(contradicted)}`,
    ),
  ];
}

function listLengthFindings(length: LengthBias | PairLengthBias): Finding[] {
  return length.kind === "single" ? listSingleLengthFindings(length) : listPairLengthFindings(length);
}

function listSingleLengthFindings({ correlation, longerHalf }: LengthBias): Finding[] {
  return [
    makePlainFinding(
      "length correlation",
      correlation,
      describeLengthBias(correlation, "or the judge never differs from people"),
    ),
    makePlainFinding("longer − shorter half", longerHalf, describeLengthBias(longerHalf, "so there is no longer half")),
  ];
}

function describeLengthBias(estimate: Estimate, undefinedBecause: string): string {
  if (estimate.value === null) return `not defined: all answers have the same length, ${undefinedBecause}`;
  if (hasTooFewItems(estimate)) return formatTooFew(estimate, "rows");
  const side = compareToInterval(estimate, 0);
  if (side === 0)
    return `no significant preference for longer or shorter answers compared with people (${estimate.n} rows)`;
  return `favors ${side > 0 ? "longer" : "shorter"} answers more than people do`;
}

function listPairLengthFindings({ judge, people, difference }: PairLengthBias): Finding[] {
  const side = compareToInterval(difference, 0);
  const compared = `${formatFindingPercent(judge.value)} vs ${formatFindingPercent(people.value)}, n = ${difference.n}`;
  const often = side === 0 ? "about as often as" : side > 0 ? "more often than" : "less often than";
  const told = `prefers the longer answer ${often} people do: ${compared}`;
  const words = hasTooFewItems(difference) ? formatTooFew(difference, "pairs") : told;
  const none = "both did not decide any pair of different lengths";
  return [
    makeShareFinding("longer wins: judge", judge, judge.value === null ? none : words),
    makeShareFinding(
      "longer wins: people",
      people,
      people.value === null
        ? none
        : `people prefer the longer answer ${formatFindingPercent(people.value)} of the time${formatDoubt(people)}`,
    ),
    makePlainFinding(
      "judge − people, longer wins",
      difference,
      difference.value === null
        ? none
        : `a difference of ${formatFindingNumber(difference.value * 100)} percentage points${formatDoubt(difference)}`,
    ),
  ];
}

/** Without an interval there are too few items to conclude anything. */
function hasTooFewItems({ value, low, high }: Estimate): boolean {
  return value !== null && (low === null || high === null);
}

function formatTooFew({ n }: Estimate, what: string): string {
  return `too few to tell: ${n} ${what}`;
}

function formatDoubt(estimate: Estimate): string {
  return hasTooFewItems(estimate) ? ", too few to tell" : "";
}

/** On which side of a value the whole interval lies: −1, 1, or 0 if the interval contains it. */
function compareToInterval({ low, high }: Estimate, centre: number): -1 | 0 | 1 {
  if (low === null || high === null) return 0;
  if (low > centre) return 1;
  return high < centre ? -1 : 0;
}

function makeShareFinding(figure: string, estimate: Estimate, words: string): Finding {
  return { figure, estimate, isShare: true, words };
}

function makePlainFinding(figure: string, estimate: Estimate, words: string): Finding {
  return { figure, estimate, isShare: false, words };
}

function formatFindingPercent(value: number | null): string {
  return value === null ? "–" : `${Number((value * 100).toFixed(1))} %`;
}

function formatFindingNumber(value: number): string {
  return String(Number(value.toFixed(2)));
}
