import { ownAnswer } from "../own-answer.js";
import { type Answer, answerOf } from "./answer.js";
import { lastBox } from "./boxes.js";
import { plainText } from "./characters.js";
import { firstHashed, lastHashed } from "./hashes.js";
import { lastNumber } from "./last-number.js";
import { decimalComma } from "./locale.js";
import type { TokenOptions } from "./number-token.js";
import { wordedNumber } from "./number-words.js";
import { quantitiesIn } from "./quantities.js";
import { lastFormula, statedFormula } from "./stated-formula.js";
import { statedNumber } from "./stated-number.js";

/** The answer of a gold solution: what is in its last box or behind its "####", else all of it. */
export function goldAnswer(gold: string): string {
  const box = lastBox(gold);
  return box?.content ?? lastHashed(gold) ?? gold.trim();
}

/** The answer of a response to a problem whose answer is a number; null when it has none. */
export function extractNumber(response: string): Answer | null {
  const written = ownAnswer(plainText(response));
  const text = written.includes("<<") ? written.replace(CALCULATOR, "") : written;
  const options = { decimalComma: decimalComma(text) };
  const box = lastBox(text);
  if (box !== null) return { text: box.content, source: "box" };
  const hashed = firstHashed(text);
  const stated = hashed !== null && isBare(hashed) ? null : statedNumber(text, options);
  if (hashed !== null && stated === null) return hashedNumber(hashed, options);
  if (stated !== null) return stated;
  // A solution in GSM8K's own form that never came to its "####" is unfinished, and its official grader says so too.
  if (text !== written) return null;
  const last = lastNumber(text, options);
  if (last !== null) return answerOf(last, last.isFormula ? "last formula" : "last number");
  return wordedAnswer(text) ?? statedFormula(text) ?? lastFormula(text);
}

/** The answer of a response to a problem whose answer is a formula or a text; null when it has none. */
export function extractFormula(response: string): Answer | null {
  const text = ownAnswer(plainText(response));
  const box = lastBox(text);
  if (box !== null) return { text: box.content, source: "box" };
  const hashed = firstHashed(text);
  if (hashed !== null) return { text: hashed, source: "####" };
  return statedFormula(text) ?? lastFormula(text);
}

function isBare(content: string): boolean {
  return !/\p{L}{3,}/u.test(content);
}

function hashedNumber(content: string, options: TokenOptions): Answer {
  const [number] = quantitiesIn(content.replace(/^[\s*({]+/, ""), options);
  return number === undefined ? { text: content, source: "####" } : answerOf(number, "####");
}

/** The marks of GSM8K's calculator, `<<48/2=24>>`. */
const CALCULATOR = /<<[^<>\n]{1,200}>>/g;

const SHORT = 60;

function wordedAnswer(text: string): Answer | null {
  const short = text.trim();
  const value = short.length <= SHORT ? wordedNumber(short) : null;
  return value === null ? null : { text: short, source: "whole text", values: [value] };
}
