import { answersIn } from "./answering.js";
import type { TokenOptions } from "./number-token.js";
import { type Quantity, quantitiesIn } from "./quantities.js";
import { isRounding } from "./rational.js";

const OPERATOR = /[+*×÷/]|[-–](?=[\s\d])|\bx\b|\\times|\\cdot|\\div/;
const NEW_CLAUSE = /[,;:]\s|\b(?:because|since|as|so|where|which|if|and then)\b/i;
const ARITHMETIC = /^[\d\s+\-–*/×÷().,$]+$/;
/** A factor in brackets behind a number: "3 (20)", "12)(2)". */
const FACTOR = /^\)?\s?\(\s?\$?\d[\d.,]{0,20}\s?\)\s*$/;
const MAX_STEP = 80;

/** What may stand before an answer in its sentence: bold and quotation marks, the letter of an option, "between". */
const BEFORE_ANSWER = /^(?:[\s*_`"'“”「:([{]|\(?[A-Ea-e]\)\s|(?:between|from|either|both)\s)*$/i;
/** "3 to 4"; but not "24 to 2 decimal places". */
const RANGE = /^\s+to\s+\\?\$?\d[\d,.]*(?!\s*(?:decimal|significant|places))/;

/** The number, formula, list or range that a sentence begins with, as a whole; null when it begins otherwise. */
export function findLeading(sentence: string, options: TokenOptions = {}): Quantity | null {
  const [first] = quantitiesIn(sentence, options);
  if (first === undefined || !BEFORE_ANSWER.test(sentence.slice(0, first.from))) return null;
  const [range] = RANGE.exec(sentence.slice(first.end, first.end + 60)) ?? [];
  const isWorded = /\p{L}{2}/u.test(sentence.slice(0, first.from));
  if (first.isFormula || range === undefined) return first.isFormula || !isWorded ? first : null;
  const text = sentence.slice(first.start, first.end + range.length).replace(/\s+to\s+/, ":");
  return { ...first, text, end: first.end + range.length, values: [], isFormula: true };
}

/**
 * The number that a sentence begins with. When it is the start of a calculation, "9 eggs * $2 = $18", what the
 * calculation comes to; null when the sentence begins otherwise.
 */
export function leadingNumber(sentence: string, options: TokenOptions): Quantity | null {
  const quantities = quantitiesIn(sentence, options);
  const [first] = quantities;
  if (first === undefined || first.from > 0) return null;
  return first.isFormula ? first : endOfCalculation(sentence, quantities);
}

function endOfCalculation(sentence: string, quantities: readonly Quantity[]): Quantity | null {
  let [current = null] = quantities;
  for (const { index: at } of sentence.matchAll(/[=≈]/g)) {
    if (current === null) break;
    if (at < current.end) continue;
    const step = sentence.slice(current.end, at);
    const next = quantities.find(({ start }) => start > at);
    // The result itself may be followed by another "=": 2 * 3 = 6 = 6.0.
    if (next === undefined || !(isWritten(step) || step.trim() === "")) break;
    current = step.trim() === "" ? withExact(next, current) : next;
  }
  return current;
}

function isWritten(step: string): boolean {
  const isCalculation = OPERATOR.test(step) || FACTOR.test(step);
  return step.length <= MAX_STEP && isCalculation && !NEW_CLAUSE.test(step) && isBalanced(step);
}

/** A bracket that opened before the first number was taken for its dress: "(12)(2)". */
function isBalanced(step: string): boolean {
  const [opened, closed] = [step.split("(").length, step.split(")").length];
  return opened === closed || (opened + 1 === closed && ARITHMETIC.test(step));
}

/** In "1/3 = 0.333" and "1/3 ≈ 0.333" both may be the answer. */
function withExact(decimal: Quantity, exact: Quantity): Quantity {
  const rounded = exact.values.filter((value) => decimal.values.some((other) => isRounding(other, value)));
  return { ...decimal, values: [...decimal.values, ...rounded] };
}

/**
 * The number that a sentence of prose comes to: the one in bold, the one after the last "=", the only amount of money,
 * else the last one.
 */
export function concludingNumber(sentence: string, options: TokenOptions): Quantity | null {
  const tokens = answersIn(sentence, options);
  if (tokens.length < 2) return tokens[0] ?? null;
  return inBold(sentence, tokens) ?? afterEquals(sentence, tokens) ?? onlyAmount(tokens) ?? tokens.at(-1) ?? null;
}

const BOLD = /\*\*([^*\n]{1,80})\*\*/g;

/** Bold headings such as **Step 3:** and **2. Add** hold numbers too: only one that begins with its number counts. */
export function inBold(sentence: string, tokens: readonly Quantity[]): Quantity | null {
  const spans = [...sentence.matchAll(BOLD)].filter(
    ({ 1: inner = "" }) => /^[\s$€£¥(\\-]*\d/.test(inner) && !/^\s*\d+[.)]\s|:\s*$/.test(inner),
  );
  const last = spans.at(-1);
  if (last === undefined) return null;
  const [start, end] = [last.index, last.index + last[0].length];
  return tokens.findLast((token) => token.start >= start && token.end <= end) ?? null;
}

/** "= $24 for 3 people": what the calculation comes to, not the last number of its clause. */
export function afterEquals(sentence: string, tokens: readonly Quantity[]): Quantity | null {
  const at = Math.max(sentence.lastIndexOf("="), sentence.lastIndexOf("≈"));
  if (at === -1) return null;
  const next = tokens.find(({ start }) => start > at);
  const isRight = next !== undefined && /^[\s$*\\({]*$/.test(sentence.slice(at + 1, next.start));
  const last = tokens.at(-1);
  if (!isRight || last === undefined || goesOn(sentence.slice(next.end), last.end - next.end)) return null;
  // A calculation that goes on behind it, "= 24 + 3", has not come to its end.
  return /^\s*(?:[+*×÷/^]|- |\\times|\\cdot)/.test(sentence.slice(next.end)) ? null : next;
}

const REMARK = /^[^,;:=]{0,40},\s+which\s+(?:is|are|was|were)\s/i;
const CONVERSION =
  /^[^,;:=]{0,40},\s+which\s+\w+\s(?:(?:equal to|equivalent to|the same as|about|exactly)\s)?[$*]{0,3}\d[\d.,]*\*{0,2}(?:\s+(?!less|more|fewer|times|percent|than|of|out|\p{L}+er\b)\p{L}+){0,3}[\s.*]*$/iu;

/** "= 694, which is 10% less" has come to its result; "= 120 minutes, which is 2 hours" only comes to it. */
function goesOn(rest: string, end: number): boolean {
  return REMARK.test(rest) ? CONVERSION.test(rest) : NEW_CLAUSE.test(rest.slice(0, end));
}

function onlyAmount(tokens: readonly Quantity[]): Quantity | null {
  const amounts = tokens.filter(({ hasCurrency }) => hasCurrency);
  return amounts.length === 1 ? (amounts[0] ?? null) : null;
}
