import { findResult, findReversed, findStatedAnswers, type StatedAnswer } from "../stated-answer/index.js";
import { type Answer, answerOf } from "./answer.js";
import { concludingNumber, findLeading, leadingNumber } from "./chosen-number.js";
import { undressed, withMark } from "./dress.js";
import { lastDigit } from "./last-number.js";
import type { TokenOptions } from "./number-token.js";
import { wordedNumber } from "./number-words.js";
import { type Quantity, quantitiesIn } from "./quantities.js";
import { isUnknown } from "./refusal.js";
import { sentenceAt } from "./sentences.js";

/**
 * The number that a text last states as its answer: "The answer is 24", "**Answer:** $24", "答えは24です". A statement
 * that leads to the number through prose, "The answer is that she has 24", counts when there is no plainer one.
 */
export function statedNumber(text: string, options: TokenOptions): Answer | null {
  const end = lastDigit(text);
  let prose: Answer | null = null;
  for (const statement of findStatedAnswers(text, { isShortNameKnown: true })) {
    if (statement.by === "box" || statement.isDenied || isUnknown(text.slice(statement.start))) continue;
    const reading = read(text, statement, { ...options, end });
    if (reading === "heading") return prose;
    if (reading === null) continue;
    if (reading.isPlain) return reading.answer;
    prose ??= reading.answer;
  }
  return numberBefore(text, options) ?? prose;
}

interface Reading {
  readonly answer: Answer;
  readonly isPlain: boolean;
}

interface ReadOptions extends TokenOptions {
  /** Where the last digit of the text stands. */
  readonly end: number;
}

/** A "heading" is an "Answer:" that the whole solution follows, and not the answer. */
function read(text: string, statement: StatedAnswer, options: ReadOptions): Reading | "heading" | null {
  const stated = leadingQuantity(text, statement.start, options);
  if (stated === null) return readWords(text, statement, options);
  const { quantity, sentence, start } = stated;
  const isLast = options.end < start + sentence.length;
  const isAnswer = statement.by === "verb" || statement.isFinal || isLast || isTerse(sentence, quantity);
  return isAnswer ? { answer: answerOf(quantity, "stated"), isPlain: true } : "heading";
}

interface LeadingQuantity {
  readonly quantity: Quantity;
  readonly sentence: string;
  /** Where the sentence begins. */
  readonly start: number;
}

function leadingQuantity(text: string, from: number, options: TokenOptions): LeadingQuantity | null {
  const start = withMark(text, from);
  const sentence = findResult(sentenceAt(text, start));
  const leading = findLeading(sentence, options);
  if (leading?.isFormula === true) return { quantity: leading, sentence, start };
  const inner = undressed(text, start);
  const rest = findResult(sentenceAt(text, inner));
  const number = leadingNumber(rest, options);
  if (number !== null && !number.isFormula) return { quantity: number, sentence: rest, start: inner };
  return leading === null ? null : { quantity: leading, sentence, start };
}

const MAX_UNIT_WORDS = 4;

/** "24 clips in all" is an answer; "16 eggs are laid, of which …" is how a solution begins. */
function isTerse(sentence: string, { start, end, isFormula }: Quantity): boolean {
  const rest = sentence.slice(end);
  return (isFormula || start === 0) && !/[\d=+]/.test(rest) && rest.trim().split(/\s+/).length <= MAX_UNIT_WORDS;
}

/** A solution that follows its "Answer:" calculates; an answer that is followed by a remark does not. */
const CALCULATION = /[=≈]|\d\s?[+*×÷/x-]\s?\$?\d|<</;
const REST = 3000;

function readWords(text: string, { start, by, isFinal }: StatedAnswer, options: ReadOptions): Reading | null {
  if (by === "space" && !isFinal) return null;
  const worded = wordedNumber(text.slice(undressed(text, start), start + 100));
  const sentence = sentenceAt(text, start);
  const isConclusion =
    isFinal || (by === "colon" && !CALCULATION.test(text.slice(start + sentence.length, start + REST)));
  const number = by === "verb" || isConclusion ? concludingNumber(sentence, options) : null;
  if (number !== null) return { answer: answerOf(number, "stated"), isPlain: isConclusion };
  return worded === null
    ? null
    : { answer: { text: sentence.trim(), source: "stated", values: [worded] }, isPlain: true };
}

const NEAR = 80;

function numberBefore(text: string, options: TokenOptions): Answer | null {
  const at = findReversed(text);
  if (at === -1) return null;
  const before = text.slice(Math.max(0, at - NEAR), at);
  const number = quantitiesIn(before.slice(before.lastIndexOf("\n") + 1), options).at(-1);
  return number === undefined ? null : answerOf(number, "stated");
}
