import {
  findCalculationResult,
  findReversedAnswer,
  findStatedAnswers,
  type StatedAnswer,
} from "../stated-answer/index.js";
import { isRounding, type Rational } from "./arithmetic.js";
import { includeLeadingMark, skipWrapping, toLatexCharacters, toPlainText } from "./canonical.js";
import { parseWordedNumber, type TokenOptions } from "./numbers.js";
import {
  extractSentence,
  findAnswerQuantities,
  findQuantities,
  isListMark,
  isStatedUnknown,
  type MathAnswer,
  type Quantity,
  toMathAnswer,
} from "./quantities.js";
import { findFormulaSpans } from "./runs.js";

const BEFORE = 300;
const BEHIND = 80;

/** How many lines with digits but no number, such as "H2O", are skipped. */
const MAX_LINES = 20;

/**
 * The last number of a text, which usually is the result of a word problem. If its last line has a number in
 * bold, or after "=", that one.
 */
export function findLastNumber(text: string, options: TokenOptions): Quantity | null {
  let end = text.length;
  for (let tried = 0; tried < MAX_LINES; tried++) {
    const digit = findLastDigit(text, end);
    if (digit === -1) return null;
    const { start, text: line } = findMatrixAround(text, digit) ?? getLineAround(text, digit, end);
    const from = findLastSentence(line);
    const isMark = ({ from: first, end: last }: Quantity): boolean =>
      isListMark(text, start + from + first, start + from + last);
    const found = OFFER.test(line) ? null : findConcludingQuantity(line.slice(from), options, isMark);
    if (found !== null) return found;
    end = Math.min(start + from, digit);
  }
  return null;
}

interface TextPart {
  readonly start: number;
  readonly text: string;
}

/** The line around a digit. A long one is cut, but not within a number. */
function getLineAround(text: string, digit: number, end: number): TextPart {
  const first = text.lastIndexOf("\n", digit) + 1;
  let start = Math.max(first, digit - BEFORE);
  while (start > first && start <= digit && /[\d.,]/.test(text[start - 1] ?? "")) start += 1;
  const last = Math.min(digit + BEHIND, end);
  return { start, text: start > digit ? "" : text.slice(start, digit) + getTextBehind(text.slice(digit, last)) };
}

const MAX_MATRIX = 1600;
const MATRIX = /\\begin\{(?:[a-zA-Z]?matrix|array|cases)\}/;

/** The matrix around a digit, which may span several lines. */
function findMatrixAround(text: string, digit: number): TextPart | null {
  const from = Math.max(0, digit - MAX_MATRIX);
  const window = text.slice(from, digit + MAX_MATRIX);
  if (!MATRIX.test(window)) return null;
  const span = findFormulaSpans(window).find(({ start, end }) => start <= digit - from && digit - from < end);
  if (span === undefined || !MATRIX.test(span.content)) return null;
  return { start: from + span.start, text: window.slice(span.start, span.end) };
}

/** Polite offers after a solution. */
const OFFER = /^\W*(?:let me know|would you like|feel free|if you (?:have|need|want|'d|would)|do you want)/i;

function getTextBehind(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function findConcludingQuantity(
  sentence: string,
  options: TokenOptions,
  isMark: (quantity: Quantity) => boolean,
): Quantity | null {
  const range = findLeadingQuantity(sentence, options);
  if (range?.isFormula === true && /^[\s*.]*$/.test(sentence.slice(range.end))) return range;
  const tokens = findAnswerQuantities(sentence, options).filter((token) => !isMark(token));
  if (tokens.length < 2) return tokens[0] ?? null;
  return (
    findBoldQuantity(sentence, tokens) ??
    findQuantityAfterEquals(sentence, tokens) ??
    findQuantityBeforeRemark(sentence, tokens)
  );
}

/** A loop from the end, since a search from the start would read all of a long text. */
export function findLastDigit(text: string, end: number = text.length): number {
  for (let at = end - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) return at;
  }
  return -1;
}

/** The start of the last sentence with a digit. */
function findLastSentence(line: string): number {
  const digit = findLastDigit(line);
  let start = 0;
  for (const { index } of line.matchAll(/[.!?] (?=\S)/g)) if (index + 2 <= digit) start = index + 2;
  return start;
}

const REMARK = /(?<!\\)\([^()]*(?:[+*×÷=/-]|\p{L}{2})[^()]*\)[\s.*]*$/u;

/** "She makes $18 (9 eggs × $2)." ends with the calculation, not with the answer. */
function findQuantityBeforeRemark(sentence: string, tokens: readonly Quantity[]): Quantity | null {
  const remark = REMARK.exec(sentence)?.index ?? sentence.length;
  return tokens.findLast(({ end }) => end <= remark) ?? tokens.at(-1) ?? null;
}

const TEXT = /\\(?:text|textbf|textit|textrm|textnormal|mbox|hbox|mathrm|operatorname)\s*\{([^{}]*)\}/g;
/** Never part of plain words beside a number. */
export const MATHS = /[\\^_+*=<>|{}[\]]|(?<![a-zA-Z'])[a-zA-Z](?![a-zA-Z.])|^!|^\s*[/-]\s*\d/;
/** The day of a date is not a number. */
const DATE = /\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}\b/;
const MAX_LENGTH = 300;

/**
 * The values of the only number of a short phrase: "24 clips", "\$18 \text{ per day}", "x = 24 \text{ cm}". Empty for
 * a phrase with several numbers or with formulas.
 */
export function parseOnlyNumber(phrase: string, options: TokenOptions = {}): readonly Rational[] {
  if (phrase.length > MAX_LENGTH) return [];
  const words = toPlainWords(phrase).replace(/\\?[$%]/g, " ");
  const [number, another] = findQuantities(words, options);
  if (number === undefined || another !== undefined || number.isFormula) return [];
  if (findAnswerQuantities(words).length === 0 || DATE.test(words) || isStatedUnknown(words)) return [];
  const isFormula = MATHS.test(words.slice(0, number.from)) || MATHS.test(words.slice(number.end));
  return isFormula ? [] : number.values;
}

/** Writes a LaTeX phrase as plain words. */
export function toPlainWords(phrase: string): string {
  return toLatexCharacters(toPlainText(phrase))
    .replace(TEXT, " $1 ")
    .replace(/\\[,;:! ]|\*\*|~/g, " ")
    .replace(/\s+/g, " ");
}

const OPERATOR = /[+*×÷/]|[-–](?=[\s\d])|\bx\b|\\times|\\cdot|\\div/;
const NEW_CLAUSE = /[,;:]\s|\b(?:because|since|as|so|where|which|if|and then)\b/i;
const ARITHMETIC = /^[\d\s+\-–*/×÷().,$]+$/;
/** A factor in brackets after a number: "3 (20)", "12)(2)". */
const FACTOR = /^\)?\s?\(\s?\$?\d[\d.,]{0,20}\s?\)\s*$/;
const MAX_STEP = 80;

/** May come before an answer in its sentence: bold and quotation marks, the letter of an option, "between". */
const BEFORE_ANSWER = /^(?:[\s*_`"'“”「:([{]|\(?[A-Ea-e]\)\s|(?:between|from|either|both)\s)*$/i;
/** "3 to 4"; but not "24 to 2 decimal places". */
const RANGE = /^\s+to\s+\\?\$?\d[\d,.]*(?!\s*(?:decimal|significant|places))/;

/** The number, formula, list or range that a sentence begins with; null if it begins otherwise. */
export function findLeadingQuantity(sentence: string, options: TokenOptions = {}): Quantity | null {
  const [first] = findQuantities(sentence, options);
  if (first === undefined || !BEFORE_ANSWER.test(sentence.slice(0, first.from))) return null;
  const [range] = RANGE.exec(sentence.slice(first.end, first.end + 60)) ?? [];
  const isWorded = /\p{L}{2}/u.test(sentence.slice(0, first.from));
  if (first.isFormula || range === undefined) return first.isFormula || !isWorded ? first : null;
  const text = sentence.slice(first.start, first.end + range.length).replace(/\s+to\s+/, ":");
  return { ...first, text, end: first.end + range.length, values: [], isFormula: true };
}

/**
 * The number that a sentence begins with, or the result if it starts a calculation, "9 eggs * $2 = $18"; null if it
 * begins otherwise.
 */
function findLeadingNumber(sentence: string, options: TokenOptions): Quantity | null {
  const quantities = findQuantities(sentence, options);
  const [first] = quantities;
  if (first === undefined || first.from > 0) return null;
  return first.isFormula ? first : findCalculationEnd(sentence, quantities);
}

function findCalculationEnd(sentence: string, quantities: readonly Quantity[]): Quantity | null {
  let [current = null] = quantities;
  for (const { index: at } of sentence.matchAll(/[=≈]/g)) {
    if (current === null) break;
    if (at < current.end) continue;
    const step = sentence.slice(current.end, at);
    const next = quantities.find(({ start }) => start > at);
    // Another "=" may follow the result: 2 * 3 = 6 = 6.0.
    if (next === undefined || !(isWrittenStep(step) || step.trim() === "")) break;
    current = step.trim() === "" ? addExactValue(next, current) : next;
  }
  return current;
}

function isWrittenStep(step: string): boolean {
  const isCalculation = OPERATOR.test(step) || FACTOR.test(step);
  return step.length <= MAX_STEP && isCalculation && !NEW_CLAUSE.test(step) && isBalanced(step);
}

/** An opening bracket before the first number may have been skipped: "(12)(2)". */
function isBalanced(step: string): boolean {
  const [opened, closed] = [step.split("(").length, step.split(")").length];
  return opened === closed || (opened + 1 === closed && ARITHMETIC.test(step));
}

/** In "1/3 = 0.333" and "1/3 ≈ 0.333" both may be the answer. */
function addExactValue(decimal: Quantity, exact: Quantity): Quantity {
  const rounded = exact.values.filter((value) => decimal.values.some((other) => isRounding(other, value)));
  return { ...decimal, values: [...decimal.values, ...rounded] };
}

/**
 * The result of a sentence in prose: the number in bold, the one after the last "=", the only amount of money,
 * else the last one.
 */
function findConcludingNumber(sentence: string, options: TokenOptions): Quantity | null {
  const tokens = findAnswerQuantities(sentence, options);
  if (tokens.length < 2) return tokens[0] ?? null;
  return (
    findBoldQuantity(sentence, tokens) ??
    findQuantityAfterEquals(sentence, tokens) ??
    findOnlyAmount(tokens) ??
    tokens.at(-1) ??
    null
  );
}

const BOLD = /\*\*([^*\n]{1,80})\*\*/g;

/** Bold headings such as **Step 3:** and **2. Add** hold numbers too: only bold text that begins with its number counts. */
function findBoldQuantity(sentence: string, tokens: readonly Quantity[]): Quantity | null {
  const spans = [...sentence.matchAll(BOLD)].filter(
    ({ 1: inner = "" }) => /^[\s$€£¥(\\-]*\d/.test(inner) && !/^\s*\d+[.)]\s|:\s*$/.test(inner),
  );
  const last = spans.at(-1);
  if (last === undefined) return null;
  const [start, end] = [last.index, last.index + last[0].length];
  return tokens.findLast((token) => token.start >= start && token.end <= end) ?? null;
}

/** "= $24 for 3 people": the result, not the last number of its clause. */
function findQuantityAfterEquals(sentence: string, tokens: readonly Quantity[]): Quantity | null {
  const at = Math.max(sentence.lastIndexOf("="), sentence.lastIndexOf("≈"));
  if (at === -1) return null;
  const next = tokens.find(({ start }) => start > at);
  const isRight = next !== undefined && /^[\s$*\\({]*$/.test(sentence.slice(at + 1, next.start));
  const last = tokens.at(-1);
  if (!isRight || last === undefined || isCalculationContinued(sentence.slice(next.end), last.end - next.end))
    return null;
  // A calculation that continues, "= 24 + 3", has no result yet.
  return /^\s*(?:[+*×÷/^]|- |\\times|\\cdot)/.test(sentence.slice(next.end)) ? null : next;
}

const CHOSEN_NUMBER_REMARK = /^[^,;:=]{0,40},\s+which\s+(?:is|are|was|were)\s/i;
const CONVERSION =
  /^[^,;:=]{0,40},\s+which\s+\w+\s(?:(?:equal to|equivalent to|the same as|about|exactly)\s)?[$*]{0,3}\d[\d.,]*\*{0,2}(?:\s+(?!less|more|fewer|times|percent|than|of|out|\p{L}+er\b)\p{L}+){0,3}[\s.*]*$/iu;

/** "= 694, which is 10% less" has its result; "= 120 minutes, which is 2 hours" does not yet. */
function isCalculationContinued(rest: string, end: number): boolean {
  return CHOSEN_NUMBER_REMARK.test(rest) ? CONVERSION.test(rest) : NEW_CLAUSE.test(rest.slice(0, end));
}

function findOnlyAmount(tokens: readonly Quantity[]): Quantity | null {
  const amounts = tokens.filter(({ hasCurrency }) => hasCurrency);
  return amounts.length === 1 ? (amounts[0] ?? null) : null;
}

/**
 * The number last stated as the answer: "The answer is 24", "**Answer:** $24", "答えは24です". A statement
 * that leads to the number through prose, "The answer is that she has 24", counts if there is no plainer one.
 */
export function findStatedNumber(text: string, options: TokenOptions): MathAnswer | null {
  const end = findLastDigit(text);
  let prose: MathAnswer | null = null;
  for (const statement of findStatedAnswers(text, { isShortNameKnown: true })) {
    if (statement.by === "box" || statement.isDenied || isStatedUnknown(text.slice(statement.start))) continue;
    const reading = readStatedNumber(text, statement, { ...options, end });
    if (reading === "heading") return prose;
    if (reading === null) continue;
    if (reading.isPlain) return reading.answer;
    prose ??= reading.answer;
  }
  return findNumberBefore(text, options) ?? prose;
}

interface StatedReading {
  readonly answer: MathAnswer;
  readonly isPlain: boolean;
}

interface StatedReadOptions extends TokenOptions {
  /** The position of the last digit of the text. */
  readonly end: number;
}

/** A "heading" is an "Answer:" followed by the whole solution instead of the answer. */
function readStatedNumber(
  text: string,
  statement: StatedAnswer,
  options: StatedReadOptions,
): StatedReading | "heading" | null {
  const stated = readLeadingQuantity(text, statement.start, options);
  if (stated === null) return readWordedStatement(text, statement, options);
  const { quantity, sentence, start } = stated;
  const isLast = options.end < start + sentence.length;
  const isAnswer = statement.by === "verb" || statement.isFinal || isLast || isTerse(sentence, quantity);
  return isAnswer ? { answer: toMathAnswer(quantity, "stated"), isPlain: true } : "heading";
}

interface LeadingQuantity {
  readonly quantity: Quantity;
  readonly sentence: string;
  readonly start: number;
}

function readLeadingQuantity(text: string, from: number, options: TokenOptions): LeadingQuantity | null {
  const start = includeLeadingMark(text, from);
  const sentence = findCalculationResult(extractSentence(text, start));
  const leading = findLeadingQuantity(sentence, options);
  if (leading?.isFormula === true) return { quantity: leading, sentence, start };
  const inner = skipWrapping(text, start);
  const rest = findCalculationResult(extractSentence(text, inner));
  const number = findLeadingNumber(rest, options);
  if (number !== null && !number.isFormula) return { quantity: number, sentence: rest, start: inner };
  return leading === null ? null : { quantity: leading, sentence, start };
}

const MAX_UNIT_WORDS = 4;

/** "24 clips in all" is an answer; "16 eggs are laid, of which …" begins a solution. */
function isTerse(sentence: string, { start, end, isFormula }: Quantity): boolean {
  const rest = sentence.slice(end);
  return (isFormula || start === 0) && !/[\d=+]/.test(rest) && rest.trim().split(/\s+/).length <= MAX_UNIT_WORDS;
}

/** A solution after "Answer:" calculates; a remark after an answer does not. */
const CALCULATION = /[=≈]|\d\s?[+*×÷/x-]\s?\$?\d|<</;
const REST = 3000;

function readWordedStatement(
  text: string,
  { start, by, isFinal }: StatedAnswer,
  options: StatedReadOptions,
): StatedReading | null {
  if (by === "space" && !isFinal) return null;
  const worded = parseWordedNumber(text.slice(skipWrapping(text, start), start + 100));
  const sentence = extractSentence(text, start);
  const isConclusion =
    isFinal || (by === "colon" && !CALCULATION.test(text.slice(start + sentence.length, start + REST)));
  const number = by === "verb" || isConclusion ? findConcludingNumber(sentence, options) : null;
  if (number !== null) return { answer: toMathAnswer(number, "stated"), isPlain: isConclusion };
  return worded === null
    ? null
    : { answer: { text: sentence.trim(), source: "stated", values: [worded] }, isPlain: true };
}

const NEAR = 80;

function findNumberBefore(text: string, options: TokenOptions): MathAnswer | null {
  const at = findReversedAnswer(text);
  if (at === -1) return null;
  const before = text.slice(Math.max(0, at - NEAR), at);
  const number = findQuantities(before.slice(before.lastIndexOf("\n") + 1), options).at(-1);
  return number === undefined ? null : toMathAnswer(number, "stated");
}
