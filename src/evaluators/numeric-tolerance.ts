import { UsageError } from "../core/errors.js";
import type { Evaluator, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { goldsOf, responseOf, undecided } from "./gold.js";
import { plainText } from "./math/characters.js";
import { afterEquals, findLeading, isAnswer, leadingNumber } from "./math/chosen-number.js";
import { undressed } from "./math/dress.js";
import { lastNumber } from "./math/last-number.js";
import { wordedNumber } from "./math/number-words.js";
import { type Quantity, quantitiesIn } from "./math/quantities.js";
import { numbersIn, type WrittenNumber } from "./number-text.js";
import { ownAnswer } from "./own-answer.js";
import { findResult, findStatedAnswers } from "./stated-answer/index.js";

const FIELD = "numeric_tolerance";
const USUAL_RELATIVE = 1e-6;
/** Room for what binary fractions cannot hold: 1.01 is within a hundredth of 1. */
const ROUNDING = 1e-12;
/** How much of a line is read, and how much of an answer is shown. */
const MAX_LINE = 1000;
const MAX_SHOWN = 60;
/** "One of them" is no number. */
const SPELLED = /^[*_"'“(]{0,4}(?:(minus|negative)\s)?(?!one (?:of|that|which|can|may|must)\b)([a-z][\s\S]*)$/i;
/** In a longer text without digits, a number in words is no answer. */
const FEW_WORDS = 5;

export interface NumericToleranceOptions {
  /** How far the number may be from the gold. 0 unless given. */
  absolute?: number;
  /** How far the number may be from the gold, as a share of the gold. 1e-6 unless a tolerance is given. */
  relative?: number;
}

/**
 * Compares the number a response answers with (the one after the last "answer is", else its last number) with the gold
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
    this.#absolute = tolerance("absolute", absolute ?? 0);
    this.#relative = tolerance("relative", relative ?? (absolute === undefined ? USUAL_RELATIVE : 0));
  }

  score(original: Example, processed: Output): Scored {
    const golds = goldsOf(original).flatMap(goldNumber);
    const [first] = golds;
    if (first === undefined) return undecided(this.fields, "the example has no gold number (answer or answers)");
    const answer = findAnswer(responseOf(processed));
    if (answer === null) return { scores: { [FIELD]: 0 }, evidence: { [FIELD]: "no number found" } };
    const { number: found, text } = answer;
    if (found === null) {
      return {
        scores: { [FIELD]: 0 },
        evidence: { [FIELD]: `read "${text.slice(0, MAX_SHOWN)}", which is no number` },
      };
    }
    const isNear = golds.some((gold) => valuesOf(found, gold).some((value) => this.#isNear(value, gold.value)));
    return {
      scores: { [FIELD]: isNear ? 1 : 0 },
      evidence: { [FIELD]: `read ${shown(found)}, gold ${golds.map(shown).join(" or ")}` },
    };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 2, absolute: this.#absolute, relative: this.#relative };
  }

  #isNear(value: number, gold: number): boolean {
    const room = Math.max(this.#absolute, this.#relative * Math.abs(gold));
    return Math.abs(value - gold) <= room + ROUNDING * Math.max(Math.abs(value), Math.abs(gold));
  }
}

function tolerance(name: string, value: number): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`numeric_tolerance: ${name} must be a number from 0 up, such as 0.01, not ${String(value)}.`);
}

/** A gold is one number, with whatever unit; of several numbers none is the gold, nor is one in a formula. */
function goldNumber(gold: string): WrittenNumber[] {
  if (quantitiesIn(plainText(gold.slice(0, 1000))).some(({ isFormula }) => isFormula)) return [];
  const numbers = [...numbersIn(gold.slice(0, 1000))];
  return numbers.length === 1 ? numbers : [];
}

/** What a response answers with: a number, or a formula, a list or a range, which is none. */
interface Answered {
  readonly number: WrittenNumber | null;
  readonly text: string;
}

function findAnswer(response: string): Answered | null {
  const text = plainText(ownAnswer(response));
  for (const { start, end, by, isDenied } of findStatedAnswers(text)) {
    if (by === "space" || isDenied) continue;
    const stated = readLine(lineOf(text.slice(start, Math.min(end, start + MAX_LINE))));
    if (stated !== null) return stated;
  }
  const last = lastNumber(text, {});
  if (last !== null) return answeredBy(last);
  const isShort = text.trim().split(/\s+/, FEW_WORDS + 1).length <= FEW_WORDS;
  return isShort ? answeredInWords(text) : null;
}

/** The number that a line begins with or comes to; a formula that it begins with is all it says. */
function readLine(line: string): Answered | null {
  const leading = findLeading(line);
  if (leading?.isFormula === true) return answeredBy(leading);
  const rest = line.slice(undressed(line, 0));
  const number = leadingNumber(rest, {});
  if (number !== null) return answeredBy(number);
  const quantities = quantitiesIn(line).filter(isAnswer);
  const chosen = leading ?? afterEquals(line, quantities) ?? quantities[0];
  return chosen === undefined ? answeredInWords(line) : answeredBy(chosen);
}

function answeredBy({ text, values, isPercent }: Quantity): Answered {
  const [first] = values;
  const value = first === undefined ? Number.NaN : Number(first.top) / Number(first.bottom);
  return { number: Number.isFinite(value) ? { value, isPercent } : null, text };
}

function answeredInWords(text: string): Answered | null {
  const number = spelledNumber(text);
  return number === null ? null : { number, text };
}

/** The number that a text begins with in words: "five", "minus twenty-one degrees". */
function spelledNumber(text: string): WrittenNumber | null {
  const [, minus, words = ""] = SPELLED.exec(text.trimStart().slice(0, 200)) ?? [];
  const number = wordedNumber(words);
  if (number === null) return null;
  const value = Number(number.top) / Number(number.bottom);
  return { value: minus === undefined ? value : -value, isPercent: /\bper ?cent\b/i.test(words) };
}

function lineOf(rest: string): string {
  const text = rest.trimStart();
  const end = text.indexOf("\n");
  return findResult(end === -1 ? text : text.slice(0, end));
}

/** A percentage against a bare number, either way round, may be meant as a share. */
function valuesOf(found: WrittenNumber, gold: WrittenNumber): number[] {
  if (found.isPercent === gold.isPercent) return [found.value];
  return found.isPercent ? [found.value, found.value / 100] : [found.value, found.value * 100];
}

function shown({ value, isPercent }: WrittenNumber): string {
  return `${value}${isPercent ? "%" : ""}`;
}
