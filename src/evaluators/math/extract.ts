import { ownAnswer } from "../own-answer.js";
import { COPULAS } from "../stated-answer/index.js";
import { type Answer, answerOf } from "./answer.js";
import { lastBox } from "./boxes.js";
import { plainText } from "./characters.js";
import { withoutCutFormula } from "./cut-formula.js";
import { finalHashed, firstHashed, lastHashed } from "./hashes.js";
import { lastDigit, lastNumber } from "./last-number.js";
import { decimalComma } from "./locale.js";
import type { TokenOptions } from "./number-token.js";
import { onlyWordedNumber, wordedNumber } from "./number-words.js";
import { quantitiesIn } from "./quantities.js";
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
}

/** The answer of a response to a problem whose answer is a number; null when it has none. */
export function extractNumber(response: string, { acceptsUnfinished = false }: ExtractOptions = {}): Answer | null {
  const written = ownAnswer(plainText(response));
  const whole = written.includes("<<") ? written.replace(CALCULATOR, "") : written;
  const text = withoutCutFormula(whole).replace(SPACED_MINUS, "-");
  const options = { decimalComma: decimalComma(text) };
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

function hashedNumber(content: string, options: TokenOptions): Answer {
  const [number] = quantitiesIn(content.replace(/^[\s*]+/, ""), options);
  return number === undefined ? { text: content, source: "####" } : answerOf(number, "####");
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

const REFUSAL =
  /\b(?:can(?:not|['’]t| not)|could(?: not|n['’]t)|(?:un|not )able to|(?:im|not )possible to)(?: be)? (?:\w+ )?(?:answer|help|solve|determine|find|calculate|compute|tell|say|know|provide|give)|(?:\bnot enough|n['’]t enough|\binsufficient|\bno) (?:information|data|details|context)/gi;
const CONCLUSION = /[=≈]|\b(?:but|however|so|thus|therefore|hence|assum\w+|if|then|total|must)\b/i;
const MAX_REFUSAL = 600;

/** Whether a short text only says why it gives no answer: its numbers are those of the question. */
function isRefusal(text: string): boolean {
  if (text.length > MAX_REFUSAL) return false;
  const last = [...text.matchAll(REFUSAL)].at(-1);
  return last !== undefined && !CONCLUSION.test(text.slice(last.index + last[0].length));
}

const SHORT = 60;
const FEW_WORDS = 5;

function wordedAnswer(text: string): Answer | null {
  const short = text.trim();
  const isShort = short.length <= SHORT && short.split(/\s+/).length <= FEW_WORDS;
  const value = (isShort ? wordedNumber(short) : null) ?? (isRefusal(text) ? null : onlyWordedNumber(short));
  return value === null ? null : { text: short, source: "whole text", values: [value] };
}
