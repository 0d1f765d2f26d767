import type { Evaluator, Example, Output, Scored } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { convertToText, getResponseText, listGolds, markUnscored } from "./gold.js";
import { toPlainText } from "./math/canonical.js";
import { extractNumber } from "./math/extract.js";
import { parseAnswerNumbers } from "./math/grade.js";
import { findQuantities } from "./math/quantities.js";

/** One number in a text: thousands in groups of three, then decimals. What follows it is read separately. */
const DIGITS = /(?:\d{1,3}(?:[,_'\u00a0\u202f\u2009]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+/g;
const POWER =
  /^(?:e([+-]?\d{1,4})(?![\w.])|\s?(?:×|x|·|\*|\\times|\\cdot)\s?10\s?(?:\^|\*\*)\s?\{?\s?([+\-−]?\d{1,4})\}?)/i;
/** A number may be a power itself: 10^2, 10², 2**10, 10^{-3}. */
const OWN_POWER = /^(?:(?:\^\s?|\*\*(?=\d))\{?\s?([+\-−]?\d{1,4})(?![\d./])\s?\}?|([⁻⁺]?[⁰¹²³⁴-⁹]{1,4}))/;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** The power of a unit, as in "5 m^2", is not a number of its own. */
const IS_EXPONENT = /[\p{L})]\^\{?-?$/u;
const LATEX_FRACTION =
  /(?:(\d{1,9})\s?)?\\[dtc]?frac\s?(?:\{\s?(-?\d{1,15}(?:\.\d{1,15})?)\s?\}\s?\{\s?(\d{1,15}(?:\.\d{1,15})?)\s?\}|(\d)\s?(\d))/g;
const SCALE = /^\s?(dozen|hundred|thousand|million|billion|trillion)s?\b/i;
const SCALES: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
};
const NUMBER_TEXT_PERCENT = /^\s?(?:\\?%|percent\b|per cent\b)/i;
const FRACTION = /^\s?\/\s?(\d{1,15}(?:\.\d{1,15})?)(?![\d/])/;
/** A minus after a letter or a digit is a hyphen: "10-20" holds two positive numbers. */
const MINUS = /(?:^|[^\w)\]\-−–])[-−–](?:[$€£¥₹]|\\\$)?$/;

export interface ParsedNumber {
  value: number;
  isPercent: boolean;
}

/**
 * Finds every number of a text, in order.
 * @example
 * [...findWrittenNumbers("from $1,200 to −3.5e2, or 12%")]; // 1200, −350, and 12 as a percentage
 */
export function* findWrittenNumbers(written: string): Generator<ParsedNumber> {
  const text = written.includes("frac") ? written.replace(LATEX_FRACTION, convertFraction) : written;
  const digits = new RegExp(DIGITS);
  for (let match = digits.exec(text); match !== null; match = digits.exec(text)) {
    if (IS_EXPONENT.test(text.slice(Math.max(0, match.index - 4), match.index))) continue;
    const { number, end } = readNumber(text, match[0], match.index);
    digits.lastIndex = end;
    if (Number.isFinite(number.value)) yield number;
  }
}

/** `\frac{1}{2}` and `1\frac{1}{2}` as one number; a division by zero stays as it is. */
function convertFraction(fraction: string, ...parts: unknown[]): string {
  const [whole, top, bottom, digit, below] = parts.slice(0, 5).map(Number);
  const value = (Number.isNaN(top) ? digit : top) ?? Number.NaN;
  const quotient = value / ((Number.isNaN(bottom) ? below : bottom) ?? Number.NaN);
  return Number.isFinite(quotient) ? `${(Number.isNaN(whole) ? 0 : (whole ?? 0)) + quotient} ` : fraction;
}

function readNumber(text: string, digits: string, at: number): { number: ParsedNumber; end: number } {
  let end = at + digits.length;
  const power = POWER.exec(text.slice(end, end + 24));
  end += power?.[0].length ?? 0;
  const exponent = (power?.[1] ?? power?.[2] ?? "0").replace("−", "-");
  let value = Number(`${digits.replace(/[^\d.]/g, "")}e${exponent}`);
  const own = power === null ? OWN_POWER.exec(text.slice(end, end + 12)) : null;
  if (own !== null) {
    value **= parseExponent(own);
    end += own[0].length;
  }
  // In "12/25/1937" nothing is divided.
  const fraction = text[at - 1] === "/" ? null : FRACTION.exec(text.slice(end, end + 40));
  if (fraction !== null && Number(fraction[1]) !== 0) {
    value /= Number(fraction[1]);
    end += fraction[0].length;
  }
  value *= SCALES[SCALE.exec(text.slice(end, end + 12))?.[1]?.toLowerCase() ?? ""] ?? 1;
  if (MINUS.test(text.slice(Math.max(0, at - 4), at))) value = -value;
  return { number: { value, isPercent: NUMBER_TEXT_PERCENT.test(text.slice(end, end + 12)) }, end };
}

function parseExponent([, digits, raised = ""]: RegExpExecArray): number {
  if (digits !== undefined) return Number(digits.replace("−", "-"));
  const size = Number(
    [...raised]
      .map((character) => RAISED.indexOf(character))
      .filter((digit) => digit >= 0)
      .join(""),
  );
  return raised.startsWith("⁻") ? -size : size;
}

const FIELD = "numeric_tolerance";
const DEFAULT_RELATIVE = 1e-6;
/** Tolerates floating-point error: 1.01 is within a hundredth of 1. */
const ROUNDING = 1e-12;
const MAX_SHOWN = 60;
const PERCENT = /%|\bper ?cent\b/i;
/** Sources of an answer without a number. */
const WHOLE_TEXTS: readonly string[] = ["whole text", "last line"];

/** Options of `NumericTolerance`. */
export interface NumericToleranceOptions {
  /** The allowed absolute difference from the gold. Default: 0. */
  absolute?: number;
  /** The allowed difference as a share of the gold. Default: 1e-6 if no tolerance is set. */
  relative?: number;
}

/**
 * Compares the number of a response (found as in `math_equivalence`) with the gold
 * number, within a tolerance; the wider of two tolerances counts. Thousands separators, currency signs, percent, powers,
 * fractions and English words are understood, and "12%" is 12 as well as 0.12.
 * @example
 * new NumericTolerance({ relative: 0.01 }).score({ id: 1, question: "…", answer: "3.14" }, { response: "About 3.15." });
 * // { scores: { numeric_tolerance: 1 }, evidence: { numeric_tolerance: "read 3.15, gold 3.14" } }
 */
export class NumericTolerance implements Evaluator {
  readonly name = FIELD;
  readonly fields: readonly string[] = [FIELD];
  readonly primaryFields: readonly string[] = [FIELD];
  readonly #absolute: number;
  readonly #relative: number;

  constructor({ absolute, relative }: NumericToleranceOptions = {}) {
    this.#absolute = requireTolerance("absolute", absolute ?? 0);
    this.#relative = requireTolerance("relative", relative ?? (absolute === undefined ? DEFAULT_RELATIVE : 0));
  }

  score(original: Example, processed: Output): Scored {
    const golds = listGolds(original).flatMap(parseGoldNumber);
    if (golds.length === 0) return markUnscored(this.fields, "the example has no gold number (answer or answers)");
    const answer = findNumericAnswer(getResponseText(processed), convertToText(original.question));
    if (answer === null) return { scores: { [FIELD]: 0 }, evidence: { [FIELD]: "no number found" } };
    const { numbers, text } = answer;
    const [first] = numbers;
    if (first === undefined) {
      return {
        scores: { [FIELD]: 0 },
        evidence: { [FIELD]: `read "${text.slice(0, MAX_SHOWN)}", which is not a number` },
      };
    }
    const isNear = golds.some((gold) =>
      numbers.some((found) => listComparableValues(found, gold).some((value) => this.#isNear(value, gold.value))),
    );
    return {
      scores: { [FIELD]: isNear ? 1 : 0 },
      evidence: { [FIELD]: `read ${formatParsedNumber(first)}, gold ${golds.map(formatParsedNumber).join(" or ")}` },
    };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 3, absolute: this.#absolute, relative: this.#relative };
  }

  #isNear(value: number, gold: number): boolean {
    const room = Math.max(this.#absolute, this.#relative * Math.abs(gold));
    return Math.abs(value - gold) <= room + ROUNDING * Math.max(Math.abs(value), Math.abs(gold));
  }
}

function requireTolerance(name: string, value: number): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(
    `numeric_tolerance: ${name} must be a number of at least 0, such as 0.01, not ${String(value)}.`,
  );
}

/** A gold is one number with any unit; several numbers or a formula are not a gold. */
function parseGoldNumber(gold: string): ParsedNumber[] {
  if (findQuantities(toPlainText(gold.slice(0, 1000))).some(({ isFormula }) => isFormula)) return [];
  const numbers = [...findWrittenNumbers(gold.slice(0, 1000))];
  return numbers.length === 1 ? numbers : [];
}

/** The answer of a response: a number with its possible values, or a formula, a list or a range, which has none. */
interface NumericAnswer {
  readonly numbers: readonly ParsedNumber[];
  readonly text: string;
}

function findNumericAnswer(response: string, question: string): NumericAnswer | null {
  const answer = extractNumber(response, { acceptsUnfinished: true, question });
  if (answer === null) return null;
  const { text, source, values = parseAnswerNumbers(text, question), isPercent = PERCENT.test(text) } = answer;
  const numbers = values.map(({ top, bottom }) => ({ value: Number(top) / Number(bottom), isPercent }));
  const finite = numbers.filter(({ value }) => Number.isFinite(value));
  const isProse = WHOLE_TEXTS.includes(source) && !/\d/.test(text);
  return finite.length === 0 && isProse ? null : { numbers: finite, text: text.trim() };
}

/** A percentage against a bare number, either way round, may be a share. */
function listComparableValues(found: ParsedNumber, gold: ParsedNumber): number[] {
  if (found.isPercent === gold.isPercent) return [found.value];
  return found.isPercent ? [found.value, found.value / 100] : [found.value, found.value * 100];
}

function formatParsedNumber({ value, isPercent }: ParsedNumber): string {
  return `${value}${isPercent ? "%" : ""}`;
}
