import type { Calibration, Estimate, JudgeAgreement, LengthBias, PairLengthBias, PositionBias } from "./calibration.js";

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
 * findingsOf(calibration).map(({ words }) => words);
 */
export function findingsOf({ agreement, position, length, scale }: Calibration): Finding[] {
  return [
    ...(agreement === null ? [] : agreementFindings(agreement, scale)),
    ...(position === null ? [] : positionFindings(position)),
    ...(length === null ? [] : lengthFindings(length)),
  ];
}

function agreementFindings(agreement: JudgeAgreement, scale: Calibration["scale"]): Finding[] {
  const { accuracy, kappa, quadraticKappa, meanDifference } = agreement;
  const found = [
    share(
      "accuracy",
      accuracy,
      `agrees with people on ${percent(accuracy.value)} of ${accuracy.n} rows${doubt(accuracy)}`,
    ),
    plain("Cohen's kappa", kappa, kappaWords(agreement)),
  ];
  if (quadraticKappa !== null) found.push(plain("quadratic kappa", quadraticKappa, nearMisses(quadraticKappa)));
  if (meanDifference !== null)
    found.push(
      plain("judge − people", meanDifference, lenience(meanDifference, scale === "binary" ? "pass rate" : "points")),
    );
  return found;
}

function nearMisses(kappa: Estimate): string {
  return isTooFew(kappa) ? tooFew(kappa, "rows") : `${strength(kappa)}, with partial credit for near misses`;
}

function kappaWords({ kappa, confusion }: JudgeAgreement): string {
  if (kappa.value === null) return "not defined: people and the judge gave every row the same label";
  const isOneLabel = confusion.filter((row) => row.some((count) => count > 0)).length < 2;
  return isOneLabel ? "says little: people gave every row the same label" : strength(kappa);
}

const STRENGTHS = [
  [0.8, "very good agreement beyond chance"],
  [0.6, "good agreement beyond chance"],
  [0.4, "moderate agreement beyond chance"],
  [0.2, "weak agreement beyond chance"],
  [0, "slight agreement beyond chance"],
] as const;

function strength(kappa: Estimate): string {
  const { value, n } = kappa;
  if (value === null) return "not defined";
  if (isTooFew(kappa)) return tooFew(kappa, "rows");
  if (sideOf(kappa, 0) <= 0) return `not significantly more agreement than by chance (${n} rows)`;
  return STRENGTHS.find(([least]) => value > least)?.[1] ?? "no more agreement than by chance";
}

function lenience(difference: Estimate, unit: string): string {
  if (isTooFew(difference)) return tooFew(difference, "rows");
  const side = sideOf(difference, 0);
  if (side === 0) return `no significant difference in strictness from people (${difference.n} rows)`;
  return `${side > 0 ? "more lenient" : "stricter"} than people by ${number(Math.abs(difference.value ?? 0))} (${unit})`;
}

function leaning(firstShown: Estimate): string {
  const { value, n } = firstShown;
  if (value === null) return "every verdict is a tie";
  if (isTooFew(firstShown)) return tooFew(firstShown, "decided verdicts");
  const side = sideOf(firstShown, 0.5);
  if (side === 0) return `no significant position bias in ${n} verdicts: the first shown wins ${percent(value)}`;
  const place = side > 0 ? "first" : "second";
  return `favors the answer shown ${place}: the first shown wins ${percent(value)} of ${n} decided verdicts`;
}

function positionFindings({ firstShown, flipped, contradicted }: PositionBias): Finding[] {
  return [
    share("first shown wins", firstShown, leaning(firstShown)),
    share(
      "flips when swapped",
      flipped,
      `the verdict changes with the order for ${percent(flipped.value)} of ${flipped.n} pairs${doubt(flipped)}`,
    ),
    share(
      "winner changes",
      contradicted,
      `a different winner in each order for ${percent(contradicted.value)} of ${contradicted.n} pairs${doubt(contradicted)}`,
    ),
  ];
}

function lengthFindings(length: LengthBias | PairLengthBias): Finding[] {
  return length.kind === "single" ? singleLength(length) : pairLength(length);
}

function singleLength({ correlation, longerHalf }: LengthBias): Finding[] {
  return [
    plain("length correlation", correlation, lengthWords(correlation, "or the judge never differs from people")),
    plain("longer − shorter half", longerHalf, lengthWords(longerHalf, "so there is no longer half")),
  ];
}

function lengthWords(estimate: Estimate, undefinedBecause: string): string {
  if (estimate.value === null) return `not defined: all answers have the same length, ${undefinedBecause}`;
  if (isTooFew(estimate)) return tooFew(estimate, "rows");
  const side = sideOf(estimate, 0);
  if (side === 0)
    return `no significant preference for longer or shorter answers compared with people (${estimate.n} rows)`;
  return `favors ${side > 0 ? "longer" : "shorter"} answers more than people do`;
}

function pairLength({ judge, people, difference }: PairLengthBias): Finding[] {
  const side = sideOf(difference, 0);
  const compared = `${percent(judge.value)} vs ${percent(people.value)}, n = ${difference.n}`;
  const often = side === 0 ? "about as often as" : side > 0 ? "more often than" : "less often than";
  const told = `prefers the longer answer ${often} people do: ${compared}`;
  const words = isTooFew(difference) ? tooFew(difference, "pairs") : told;
  const none = "both did not decide any pair of different lengths";
  return [
    share("longer wins: judge", judge, judge.value === null ? none : words),
    share(
      "longer wins: people",
      people,
      people.value === null
        ? none
        : `people prefer the longer answer ${percent(people.value)} of the time${doubt(people)}`,
    ),
    plain(
      "judge − people, longer wins",
      difference,
      difference.value === null
        ? none
        : `a difference of ${number(difference.value * 100)} percentage points${doubt(difference)}`,
    ),
  ];
}

/** Without an interval there are too few items to conclude anything. */
function isTooFew({ value, low, high }: Estimate): boolean {
  return value !== null && (low === null || high === null);
}

function tooFew({ n }: Estimate, what: string): string {
  return `too few to tell: ${n} ${what}`;
}

function doubt(estimate: Estimate): string {
  return isTooFew(estimate) ? ", too few to tell" : "";
}

/** On which side of a value the whole interval lies: −1, 1, or 0 if the interval contains it. */
function sideOf({ low, high }: Estimate, centre: number): -1 | 0 | 1 {
  if (low === null || high === null) return 0;
  if (low > centre) return 1;
  return high < centre ? -1 : 0;
}

function share(figure: string, estimate: Estimate, words: string): Finding {
  return { figure, estimate, isShare: true, words };
}

function plain(figure: string, estimate: Estimate, words: string): Finding {
  return { figure, estimate, isShare: false, words };
}

function percent(value: number | null): string {
  return value === null ? "–" : `${Number((value * 100).toFixed(1))} %`;
}

function number(value: number): string {
  return String(Number(value.toFixed(2)));
}
