import { type Example, isConversation } from "../../core/example.js";
import { describe } from "../../core/shape.js";
import type { Output } from "../../core/system.js";
import { textOf } from "../../evaluators/gold.js";
import type { OpenInterval } from "../../stats/index.js";
import { type Fields, fieldsOf } from "./interview.js";
import { type JudgeScale, readValue, scaleOf } from "./scale.js";

/** A figure with its 95 % interval; null where it is not defined, without an interval where the items are too few. */
export interface Estimate extends OpenInterval {
  readonly value: number | null;
  /** The number of items, or of verdicts, it rests on. */
  readonly n: number;
}

/** How far a judge agrees with people. */
export interface JudgeAgreement {
  /** The share of items in the same category, with Wilson's interval. */
  readonly accuracy: Estimate;
  /** Cohen's kappa, with a bootstrap interval over items. */
  readonly kappa: Estimate;
  /** For scales with more than two values: kappa with quadratic weights. */
  readonly quadraticKappa: Estimate | null;
  /** The mean of judge − people, in points of the scale; null for pairs. */
  readonly meanDifference: Estimate | null;
  readonly categories: readonly string[];
  /** Counts by what people say (rows) and what the judge says (columns). */
  readonly confusion: readonly (readonly number[])[];
}

/** How much the place of an answer decides, over every comparison of every judge. */
export interface PositionBias {
  /** Of the verdicts that name a winner, the share that names the one shown first; without a bias one half. Wilson's interval over pairs, as for the others. */
  readonly firstShown: Estimate;
  /** The share of pairs whose verdict changes in any way with the order. */
  readonly flipped: Estimate;
  /** The share of pairs with another winner in each order. */
  readonly contradicted: Estimate;
}

/** How much the length of a response decides. */
export interface LengthBias {
  readonly kind: "single";
  /** Spearman's correlation of judge − people with the length of the response. */
  readonly correlation: Estimate;
  /** The mean of judge − people in the longer half less that in the shorter half, in points of the scale. */
  readonly longerHalf: Estimate;
}

/** How often the longer of two answers is preferred, over pairs of different lengths that both have decided. */
export interface PairLengthBias {
  readonly kind: "pairwise";
  readonly judge: Estimate;
  readonly people: Estimate;
  /** Judge − people. */
  readonly difference: Estimate;
}

/** A row of labels that cannot be used. */
export interface BadLabel {
  /** Counted from 1. */
  readonly row: number;
  readonly problem: string;
}

/** What a judge is worth, as far as labels by people can tell. */
export interface Calibration {
  readonly scale: JudgeScale | "pairwise";
  /** Rows that can be used. */
  readonly labels: number;
  readonly judged: number;
  /** Rows that the judge said it cannot judge, or gave no usable answer for. */
  readonly notJudged: number;
  /** Rows whose judge could not be reached. */
  readonly failed: number;
  /** Rows that were not asked about, because the calibration was stopped. */
  readonly notAsked: number;
  readonly badRows: readonly BadLabel[];
  /** Why rows were not judged, each reason once, and not more than a few. */
  readonly reasons: readonly string[];
  /** Null when nothing was judged. */
  readonly agreement: JudgeAgreement | null;
  /** Null for a judge that is shown one answer at a time. */
  readonly position: PositionBias | null;
  readonly length: LengthBias | PairLengthBias | null;
  /** What the judge cost; null when nobody knows. */
  readonly costUsd: number | null;
  /** True when the cost of some calls is not known. */
  readonly isCostPartial: boolean;
}

/** A figure of a calibration, and what it means in plain words. */
export interface Finding {
  readonly figure: string;
  readonly estimate: Estimate;
  /** Whether the value is a share, to be shown in percent. */
  readonly isShare: boolean;
  readonly words: string;
}

/**
 * What a calibration found, one figure after the other, each with its meaning in plain words. A leaning is only called
 * one when the interval leaves chance out.
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
  return isTooFew(kappa) ? tooFew(kappa, "rows") : `${strength(kappa)}, near misses counted as such`;
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
  [0, "hardly more agreement than by chance"],
] as const;

function strength(kappa: Estimate): string {
  const { value, n } = kappa;
  if (value === null) return "not defined";
  if (isTooFew(kappa)) return tooFew(kappa, "rows");
  if (sideOf(kappa, 0) <= 0) return `no more agreement than by chance, as far as ${n} rows can tell`;
  return STRENGTHS.find(([least]) => value > least)?.[1] ?? "no more agreement than by chance";
}

function lenience(difference: Estimate, unit: string): string {
  if (isTooFew(difference)) return tooFew(difference, "rows");
  const side = sideOf(difference, 0);
  if (side === 0) return `neither more lenient nor stricter than people, as far as ${difference.n} rows can tell`;
  return `${side > 0 ? "more lenient" : "stricter"} than people by ${number(Math.abs(difference.value ?? 0))} (${unit})`;
}

function leaning(firstShown: Estimate): string {
  const { value, n } = firstShown;
  if (value === null) return "every verdict is a tie";
  if (isTooFew(firstShown)) return tooFew(firstShown, "decided verdicts");
  const side = sideOf(firstShown, 0.5);
  if (side === 0) return `no leaning to a place that ${n} verdicts can show: the first shown wins ${percent(value)}`;
  const place = side > 0 ? "first" : "second";
  return `leans to the answer shown ${place}: the first shown wins ${percent(value)} of ${n} decided verdicts`;
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
      `another winner in each order for ${percent(contradicted.value)} of ${contradicted.n} pairs${doubt(contradicted)}`,
    ),
  ];
}

function lengthFindings(length: LengthBias | PairLengthBias): Finding[] {
  return length.kind === "single" ? singleLength(length) : pairLength(length);
}

function singleLength({ correlation, longerHalf }: LengthBias): Finding[] {
  return [
    plain("length correlation", correlation, lengthWords(correlation, "or there is no difference to people at all")),
    plain("longer − shorter half", longerHalf, lengthWords(longerHalf, "so that there is no longer half")),
  ];
}

function lengthWords(estimate: Estimate, undefinedBecause: string): string {
  if (estimate.value === null) return `not defined: all answers have the same length, ${undefinedBecause}`;
  if (isTooFew(estimate)) return tooFew(estimate, "rows");
  const side = sideOf(estimate, 0);
  if (side === 0)
    return `favours neither longer nor shorter answers more than people do, as far as ${estimate.n} rows can tell`;
  return `favours ${side > 0 ? "longer" : "shorter"} answers more than people do`;
}

function pairLength({ judge, people, difference }: PairLengthBias): Finding[] {
  const side = sideOf(difference, 0);
  const compared = `${percent(judge.value)} vs ${percent(people.value)}, n = ${difference.n}`;
  const often = side === 0 ? "about as often as" : side > 0 ? "more often than" : "less often than";
  const told = `prefers the longer answer ${often} people do: ${compared}`;
  const words = isTooFew(difference) ? tooFew(difference, "pairs") : told;
  const none = "no pair of different lengths was decided by both";
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

/** A figure that has no interval rests on so little that nothing is claimed from it. */
function isTooFew({ value, low, high }: Estimate): boolean {
  return value !== null && (low === null || high === null);
}

function tooFew({ n }: Estimate, what: string): string {
  return `too few to tell: ${n} ${what}`;
}

function doubt(estimate: Estimate): string {
  return isTooFew(estimate) ? ", too few to tell" : "";
}

/** On which side of a value the whole interval lies: −1, 1, or 0 when it holds the value. */
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

/** A row that people have judged: an answer with a label on the judge's scale, or two answers and which is better. */
export interface LabelRow {
  question?: string;
  context?: string;
  answer?: string;
  answers?: readonly string[];
  /** Null or "" for an empty answer. */
  response?: string | null;
  /** For a pairwise judge, with `response_b`. */
  response_a?: string | null;
  response_b?: string | null;
  /** 0 or 1, true or false, "pass" or "fail"; a number on the scale; for pairs "a", "b" or "tie". */
  label: number | boolean | string;
  [key: string]: unknown;
}

/** A label that can be compared with a judge. */
export interface Label {
  readonly example: Example;
  readonly output: Output;
  /** What people say, as a share in [0, 1]; of a pair 1 is the first answer, 0 the second, 0.5 a tie. */
  readonly people: number;
  /** Characters of the response; of a pair, of the first answer. */
  readonly length: number;
  /** Characters of the second answer of a pair. */
  readonly otherLength: number | null;
}

/**
 * Reads a row of labels, or says what is wrong with it.
 * @example
 * readLabel({ question: "2+2?", response: "4", label: "pass" }, "binary", 1);
 */
export function readLabel(row: unknown, scale: JudgeScale | "pairwise", id: number): Label | string {
  const fields = fieldsOf(row);
  if (fields === null) return `is ${describe(row)}, not an object`;
  const example = exampleOf(fields, id);
  if (typeof example === "string") return example;
  return scale === "pairwise" ? readPair(fields, example) : readSingle(fields, example, scale);
}

function readSingle(fields: Fields, example: Example, scale: JudgeScale): Label | string {
  if (!("response" in fields)) return `has no "response"${hintOfPairs(fields)}`;
  const response = answerIn(fields.response);
  if (response === null) return `has a response that is ${describe(fields.response)}, not text`;
  const people = labelIn(fields.label, scale);
  if (typeof people === "string") return people;
  return { example, output: { response }, people, length: response.length, otherLength: null };
}

function hintOfPairs(fields: Fields): string {
  if (!("response_a" in fields || "response_b" in fields)) return "";
  return ", but two answers to compare: use --judge-pairwise (in code, pairwise: true)";
}

function labelIn(label: unknown, scale: JudgeScale): number | string {
  if (label === undefined || label === null) return 'has no "label"';
  const people = readValue(label, scaleOf(scale));
  return typeof people === "number" ? people : `has a label that ${people.replace("a whole number", "a number")}`;
}

const SIDES: ReadonlyMap<unknown, number> = new Map(Object.entries({ a: 1, b: 0, tie: 0.5, draw: 0.5 }));

function readPair(fields: Fields, example: Example): Label | string {
  for (const side of ["response_a", "response_b"]) if (!(side in fields)) return `has no "${side}"`;
  const [first, second] = [answerIn(fields.response_a), answerIn(fields.response_b)];
  if (first === null || second === null) return "has a response_a or response_b that is not text";
  const { label } = fields;
  const people = typeof label === "string" ? SIDES.get(label.trim().toLowerCase()) : undefined;
  if (people === undefined) return `has a label that is ${describe(label)}, but must be "a", "b" or "tie"`;
  return {
    example: { ...example, baseline: second },
    output: { response: first },
    people,
    length: first.length,
    otherLength: second.length,
  };
}

function exampleOf({ turns, question, context, answer, answers, id }: Fields, row: number): Example | string {
  if (turns !== undefined && !isConversation(turns))
    return 'has turns that are not a list of { "role", "content" } texts';
  const golds = Array.isArray(answers) ? answers.map(textOf) : [];
  const example: Example = { id: typeof id === "string" || typeof id === "number" ? id : row };
  if (turns !== undefined) example.turns = turns;
  for (const [name, value] of Object.entries({ question, context, answer })) {
    const text = textOf(value);
    if (text !== "") example[name] = text;
  }
  return golds.length > 0 ? { ...example, answers: golds } : example;
}

/** Null for what is no answer; an answer that is null is an empty one. */
function answerIn(value: unknown): string | null {
  if (value === null) return "";
  return typeof value === "object" || value === undefined ? null : textOf(value);
}
