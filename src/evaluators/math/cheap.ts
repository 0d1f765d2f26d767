import { exactValue } from "./arithmetic.js";
import type { Verdict } from "./compare.js";
import { sameNumber } from "./rational.js";

const MAX_FORMULA = 300;
const FUNCTIONS =
  /\\[a-zA-Z]+|(?<![a-zA-Z])(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|max|min|arc(?:sin|cos|tan))(?![a-zA-Z])/g;

/** A number or a letter alone: two that are not the same text or number are not the same. */
const NAMED = /^(?:-?[\d.]+|[a-zA-Z])$/;
/** Points, matrices or initials: their order is what they say. */
const CAPITALS = /^[A-Z]{2,3}$/;
/** 204_5 is an answer in base 5, which 54 is not. */
const BASED = /^[\dA-F]+_\{?\d+\}?$/;
/** Transposed and inverted matrices: their products depend on their order, which numbers in their place do not show. */
const MATRICES =
  /(?:[A-Z]|\([A-Z]+\))\^(?:T|\{T\})(?![a-z])|\^\{?\\(?:top|intercal)|[A-Z]\^\{-1\}[A-Z]|[A-Z]{2}\^\{-1\}/;

/** Decides without symbolic work: by exact numbers, and by telling words from formulas. */
export function compareCheaply(gold: string, given: string): Verdict {
  const [wanted, found] = [exactValue(gold), exactValue(given)];
  if (wanted !== null && found !== null) return sameNumber(wanted, found) ? "same" : "different";
  if (gold.length > MAX_FORMULA || given.length > MAX_FORMULA) return "different";
  const areBoth = (pattern: RegExp): boolean => pattern.test(gold) && pattern.test(given);
  if (areBoth(NAMED) || areBoth(CAPITALS)) return "different";
  if (BASED.test(gold) || BASED.test(given)) return "different";
  return isFormula(gold) && isFormula(given) ? "open" : "different";
}

/** The short words that are answers most often; other runs of letters are products of variables. */
const SHORT_WORDS = /^(?:yes|no|odd|red|one|two|six|ten|all)$/i;

/** Words are no formulas, nor is what has marks that no formula has. */
function isFormula(text: string): boolean {
  const letters = text.replace(FUNCTIONS, "");
  const hasWords = SHORT_WORDS.test(text) || /[a-zA-Z]{4,}|[^\x20-\x7e]|[?#@"':;&]/.test(letters);
  return !hasWords && /[\da-zA-Z\\]/.test(text) && !MATRICES.test(text);
}
