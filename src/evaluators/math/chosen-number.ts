import { exactValue } from "./arithmetic.js";
import { canonical } from "./canonical.js";
import { type NumberToken, numbersIn, type TokenOptions } from "./number-token.js";

const OPERATOR = /[+*×÷/]|[-–](?=[\s\d])|\bx\b|\\times|\\cdot|\\div/;
const NEW_CLAUSE = /[,;:]\s|\b(?:because|since|as|so|where|which|if|and then)\b/i;
const ARITHMETIC = /^[\d\s+\-–*/×÷().,$]+$/;
const CALCULATION = /\d[\s)]*[-–+*/×÷][\s(]*\d/;
const MAX_STEP = 80;

/**
 * The number that a sentence begins with. When it is the start of a calculation, "48 + 24 = 72", what the calculation
 * comes to; null when the sentence begins otherwise.
 */
export function leadingNumber(sentence: string, options: TokenOptions): NumberToken | null {
  const tokens = numbersIn(sentence, options);
  const [first] = tokens;
  if (first === undefined || first.start > 0) return null;
  return calculated(sentence) ?? endOfCalculation(sentence, tokens);
}

function endOfCalculation(sentence: string, tokens: readonly NumberToken[]): NumberToken | null {
  let [current = null] = tokens;
  for (let at = sentence.indexOf("="); at !== -1 && current !== null; at = sentence.indexOf("=", at + 1)) {
    const step = sentence.slice(current.end, at);
    const next = tokens.find(({ start }) => start > at);
    const isWritten = step.length <= MAX_STEP && OPERATOR.test(step) && !NEW_CLAUSE.test(step) && isBalanced(step);
    // The result itself may be followed by another "=": 2 * 3 = 6 = 6.0.
    if (next === undefined || !(isWritten || step.trim() === "")) break;
    current = next;
  }
  return current;
}

function isBalanced(step: string): boolean {
  return step.split("(").length === step.split(")").length;
}

/** A calculation that was left to the reader: "12 * 2". */
function calculated(sentence: string): NumberToken | null {
  const text = sentence.replace(/\$/g, "").trim();
  if (!ARITHMETIC.test(text) || !CALCULATION.test(text)) return null;
  const value = exactValue(canonical(text));
  return value === null ? null : { text, start: 0, end: sentence.length, values: [value], hasCurrency: false };
}

/**
 * The number that a sentence of prose comes to: the one in bold, the one after the last "=", the only amount of money,
 * else the last one.
 */
export function concludingNumber(sentence: string, options: TokenOptions): NumberToken | null {
  const tokens = numbersIn(sentence, options).filter(({ values }) => values.length > 0);
  if (tokens.length < 2) return tokens[0] ?? null;
  return inBold(sentence, tokens) ?? afterEquals(sentence, tokens) ?? onlyAmount(tokens) ?? tokens.at(-1) ?? null;
}

const BOLD = /\*\*([^*\n]{1,80})\*\*/g;

/** Bold headings such as **Step 3:** and **2. Add** hold numbers too: only one that begins with its number counts. */
export function inBold(sentence: string, tokens: readonly NumberToken[]): NumberToken | null {
  const spans = [...sentence.matchAll(BOLD)].filter(
    ({ 1: inner = "" }) => /^[\s$€£¥(\\-]*\d/.test(inner) && !/^\s*\d+[.)]\s|:\s*$/.test(inner),
  );
  const last = spans.at(-1);
  if (last === undefined) return null;
  const [start, end] = [last.index, last.index + last[0].length];
  return tokens.findLast((token) => token.start >= start && token.end <= end) ?? null;
}

/** "= $24 for 3 people": what the calculation comes to, not the last number of its clause. */
export function afterEquals(sentence: string, tokens: readonly NumberToken[]): NumberToken | null {
  const at = Math.max(sentence.lastIndexOf("="), sentence.lastIndexOf("≈"));
  if (at === -1) return null;
  const next = tokens.find(({ start }) => start > at);
  const isRight = next !== undefined && /^[\s$*\\({]*$/.test(sentence.slice(at + 1, next.start));
  const last = tokens.at(-1);
  if (!isRight || last === undefined || NEW_CLAUSE.test(sentence.slice(next.end, last.end))) return null;
  // A calculation that goes on behind it, "= 24 + 3", has not come to its end.
  return /^\s*(?:[+*×÷/^]|- |\\times|\\cdot)/.test(sentence.slice(next.end)) ? null : next;
}

function onlyAmount(tokens: readonly NumberToken[]): NumberToken | null {
  const amounts = tokens.filter(({ hasCurrency }) => hasCurrency);
  return amounts.length === 1 ? (amounts[0] ?? null) : null;
}
