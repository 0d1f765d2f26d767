import { ownAnswer } from "../own-answer.js";
import { COPULAS } from "../stated-answer/index.js";
import { type Answer, answerOf } from "./answer.js";
import { lastBox } from "./boxes.js";
import { plainText } from "./characters.js";
import { findLeading } from "./chosen-number.js";
import { withoutCutFormula } from "./cut-formula.js";
import { finalHashed, firstHashed, lastHashed } from "./hashes.js";
import { lastDigit, lastNumber } from "./last-number.js";
import { decimalComma } from "./locale.js";
import type { TokenOptions } from "./number-token.js";
import { onlyWordedNumber, wordedNumber } from "./number-words.js";
import { MATHS, wordsOf } from "./only-number.js";
import { isRefusal } from "./refusal.js";
import { lastFormula, statedFormula } from "./stated-formula.js";
import { statedNumber } from "./stated-number.js";

/** The answer of a gold solution: what is in its last box or behind its "####", else all of it. */
export function goldAnswer(gold: string): string {
  const box = lastBox(gold);
  return box?.content ?? lastHashed(gold) ?? gold.trim();
}

export interface ExtractOptions {
  /**
   * Reads a solution with the marks of GSM8K's calculator that never comes to its "####". The official grader of GSM8K
   * calls that unfinished.
   */
  readonly acceptsUnfinished?: boolean;
  /** The question: where it speaks of millions or dozens, an answer may count them. */
  readonly question?: string;
}

/** The answer of a response to a problem whose answer is a number; null when it has none. */
export function extractNumber(
  response: string,
  { acceptsUnfinished = false, question = "" }: ExtractOptions = {},
): Answer | null {
  const written = ownAnswer(plainText(response));
  const whole = written.includes("<<") ? written.replace(CALCULATOR, "") : written;
  const text = withoutCutFormula(whole).replace(SPACED_MINUS, "-");
  const options = { decimalComma: decimalComma(text), question };
  const box = lastBox(text);
  if (box !== null) return { text: box.content, source: "box" };
  const hashed = firstHashed(text) ?? finalHashed(text);
  const stated = hashed !== null && isBare(hashed) ? null : statedNumber(text, options);
  if (hashed !== null && stated === null) return hashedNumber(hashed, options);
  if (stated !== null) return stated;
  if (!acceptsUnfinished && isUnfinished(written)) return null;
  const last = isRefusal(text) ? null : lastNumber(text, options);
  if (last !== null) return answerOf(last, last.isFormula ? "last formula" : "last number");
  return wordedAnswer(text) ?? withoutNumbers(statedFormula(text) ?? lastFormula(text));
}

/** The digits of a text that no answer was found in are none: "The answer is not 18", "Step 3". */
function withoutNumbers(answer: Answer | null): Answer | null {
  return answer !== null && /\d/.test(answer.text) ? { ...answer, values: [] } : answer;
}

/** The answer of a response to a problem whose answer is a formula or a text; null when it has none. */
export function extractFormula(response: string): Answer | null {
  const text = withoutCutFormula(ownAnswer(plainText(response)));
  const box = lastBox(text);
  if (box !== null) return { text: box.content, source: "box" };
  const hashed = firstHashed(text) ?? finalHashed(text);
  if (hashed !== null) return { text: hashed, source: "####" };
  return statedFormula(text) ?? lastFormula(text);
}

function isBare(content: string): boolean {
  return !/\p{L}{3,}/u.test(content);
}

/** What stands behind "####" is read whole, as in a box. Words may follow its number, and only then other numbers. */
function hashedNumber(content: string, options: TokenOptions): Answer {
  const words = wordsOf(content);
  const leading = findLeading(words, options);
  const [rest = ""] = words.slice(leading?.end).split(/\p{L}{3}/u, 1);
  return leading === null || MATHS.test(rest) ? { text: content, source: "####" } : answerOf(leading, "####");
}

/** "The answer is - 4": behind a verb or a colon a dash before a number is its sign. */
const SPACED_MINUS = new RegExp(`[-–](?<=(?:(?<!\\p{L})(?:${COPULAS.join("|")}) |: ?)[-–]) (?=\\d)`, "giu");

/** The marks of GSM8K's calculator, `<<48/2=24>>`. */
const CALCULATOR = /<<[^<>\n]{1,200}>>/g;

/** Whether a solution in GSM8K's form still calculates in its last line with a digit: no sentence concludes it. */
function isUnfinished(written: string): boolean {
  const digit = written.includes("<<") ? lastDigit(written) : -1;
  const line = written.slice(written.lastIndexOf("\n", digit) + 1);
  return digit !== -1 && line.search(CALCULATOR) !== -1;
}

const SHORT = 60;
const FEW_WORDS = 5;

function wordedAnswer(text: string): Answer | null {
  const short = text.trim();
  const isShort = short.length <= SHORT && short.split(/\s+/).length <= FEW_WORDS;
  const value = (isShort ? wordedNumber(short) : null) ?? (isRefusal(text) ? null : onlyWordedNumber(short));
  return value === null ? null : { text: short, source: "whole text", values: [value] };
}
