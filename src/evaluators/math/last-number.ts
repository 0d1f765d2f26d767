import { answersIn } from "./answering.js";
import { afterEquals, findLeading, inBold } from "./chosen-number.js";
import { isListMark } from "./list-marks.js";
import type { TokenOptions } from "./number-token.js";
import type { Quantity } from "./quantities.js";
import { spansIn } from "./spans.js";

const BEFORE = 300;
const BEHIND = 80;

/** Lines with digits but no number in them, such as "H2O", that are passed over. */
const MAX_LINES = 20;

/**
 * The last number of a text, which is what a word problem's solution ends in. Where its last line has the number in
 * bold, or comes to it behind an "=", that one.
 */
export function lastNumber(text: string, options: TokenOptions): Quantity | null {
  let end = text.length;
  for (let tried = 0; tried < MAX_LINES; tried++) {
    const digit = lastDigit(text, end);
    if (digit === -1) return null;
    const { start, text: line } = matrixAround(text, digit) ?? lineAround(text, digit, end);
    const from = lastSentence(line);
    const isMark = ({ from: first, end: last }: Quantity): boolean =>
      isListMark(text, start + from + first, start + from + last);
    const found = OFFER.test(line) ? null : concludingOf(line.slice(from), options, isMark);
    if (found !== null) return found;
    end = Math.min(start + from, digit);
  }
  return null;
}

interface Part {
  readonly start: number;
  readonly text: string;
}

/** The line that a digit stands in. A long one is cut, but not within a number. */
function lineAround(text: string, digit: number, end: number): Part {
  const first = text.lastIndexOf("\n", digit) + 1;
  let start = Math.max(first, digit - BEFORE);
  while (start > first && start <= digit && /[\d.,]/.test(text[start - 1] ?? "")) start += 1;
  const last = Math.min(digit + BEHIND, end);
  return { start, text: start > digit ? "" : text.slice(start, digit) + behind(text.slice(digit, last)) };
}

const MAX_MATRIX = 1600;
const MATRIX = /\\begin\{(?:[a-zA-Z]?matrix|array|cases)\}/;

/** A matrix that a digit stands in, which may go over several lines. */
function matrixAround(text: string, digit: number): Part | null {
  const from = Math.max(0, digit - MAX_MATRIX);
  const window = text.slice(from, digit + MAX_MATRIX);
  if (!MATRIX.test(window)) return null;
  const span = spansIn(window).find(({ start, end }) => start <= digit - from && digit - from < end);
  if (span === undefined || !MATRIX.test(span.content)) return null;
  return { start: from + span.start, text: window.slice(span.start, span.end) };
}

/** What a polite model adds behind its solution. */
const OFFER = /^\W*(?:let me know|would you like|feel free|if you (?:have|need|want|'d|would)|do you want)/i;

function behind(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function concludingOf(
  sentence: string,
  options: TokenOptions,
  isMark: (quantity: Quantity) => boolean,
): Quantity | null {
  const range = findLeading(sentence, options);
  if (range?.isFormula === true && /^[\s*.]*$/.test(sentence.slice(range.end))) return range;
  const tokens = answersIn(sentence, options).filter((token) => !isMark(token));
  if (tokens.length < 2) return tokens[0] ?? null;
  return inBold(sentence, tokens) ?? afterEquals(sentence, tokens) ?? beforeRemark(sentence, tokens);
}

/** Where the last digit stands; a loop from the end, since a search from the start would read all of a long text. */
export function lastDigit(text: string, end: number = text.length): number {
  for (let at = end - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) return at;
  }
  return -1;
}

/** Where the last sentence of a line begins that has a digit in it. */
function lastSentence(line: string): number {
  const digit = lastDigit(line);
  let start = 0;
  for (const { index } of line.matchAll(/[.!?] (?=\S)/g)) if (index + 2 <= digit) start = index + 2;
  return start;
}

const REMARK = /(?<!\\)\([^()]*(?:[+*×÷=/-]|\p{L}{2})[^()]*\)[\s.*]*$/u;

/** "She makes $18 (9 eggs × $2)." ends in how, not in what. */
function beforeRemark(sentence: string, tokens: readonly Quantity[]): Quantity | null {
  const remark = REMARK.exec(sentence)?.index ?? sentence.length;
  return tokens.findLast(({ end }) => end <= remark) ?? tokens.at(-1) ?? null;
}
