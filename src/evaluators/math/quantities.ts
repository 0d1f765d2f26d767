import { isRetracted } from "../stated-answer/index.js";
import { computeExactValue, divideRationals, isRounding, isSameNumber, type Rational } from "./arithmetic.js";
import { canonicalize, extractResidue } from "./canonical.js";
import { isAnswerName, isNonlinear, isTopLevelList, splitTopLevel, stripBrackets } from "./compare.js";
import { findNumbers, type NumberToken, type TokenOptions } from "./numbers.js";
import { findFormulaSpans, findMathRuns, type MathRun, readNumberPair } from "./runs.js";

/** A number of a text, or a formula or a list, which has no `values` and is compared as a whole. */
export interface Quantity extends NumberToken {
  /** Where the mathematics begins that this is the result of: "48 + 24 = 72" is 72 and starts at 48. */
  readonly from: number;
  readonly isFormula: boolean;
  readonly isPercent: boolean;
}

/**
 * Finds the numbers and formulas of a short text. The context of a number decides what it is: "x + 1", "(2, 3)" and
 * "3 or 4" are not numbers, "12 * 2" is 24, and a chain of equations is its result.
 */
export function findQuantities(text: string, options: TokenOptions = {}): Quantity[] {
  return joinListPieces(text, joinPairPieces(text, findPieces(text, options))).map(({ quantity }) => quantity);
}

interface QuantityPiece {
  readonly quantity: Quantity;
  readonly end: number;
  /** The complete text; the quantity may only be its last side. */
  readonly whole: string;
  readonly isMarked: boolean;
}

function findPieces(text: string, options: TokenOptions): QuantityPiece[] {
  const tokens = findNumbers(text, options);
  const pieces: QuantityPiece[] = [];
  let [next, end] = [0, 0];
  for (const run of findMathRuns(text)) {
    if (run.start < end || !(run.isMarked || /\d/.test(run.text))) continue;
    while ((tokens[next]?.end ?? text.length) <= run.start && next < tokens.length) next += 1;
    const inside = filterTokensWithin(tokens, next, run.end);
    const quantity = addPercent(text, toQuantity(text, run, inside));
    end = Math.max(run.end, quantity.end);
    pieces.push({ quantity, end, whole: run.text, isMarked: run.isMarked });
  }
  return pieces;
}

const PERCENT = /^\s?(?:\\?%|percent\b|per cent\b)/i;

function addPercent(text: string, quantity: Omit<Quantity, "isPercent">): Quantity {
  const { start, end } = quantity;
  const isPercent = text.slice(start, end).includes("%") || PERCENT.test(text.slice(end, end + 12));
  return { ...quantity, isPercent };
}

function filterTokensWithin(tokens: readonly NumberToken[], from: number, end: number): readonly NumberToken[] {
  let to = from;
  while ((tokens[to]?.start ?? end) < end) to += 1;
  return tokens.slice(from, to);
}

function toQuantity(text: string, run: MathRun, inside: readonly NumberToken[]): Omit<Quantity, "isPercent"> {
  const [first] = inside;
  if (first !== undefined && first.start <= run.start && first.end >= run.end) return toPlainQuantity(first);
  const values = computeResults(run);
  const { start: from, end } = run;
  const source = text.slice(from, end);
  const start = from + Math.max(...["=", "≈", "\\approx"].map((sign) => source.lastIndexOf(sign))) + 1;
  const [number, another] = inside.filter((token) => token.start >= start);
  const isAlone = number !== undefined && another === undefined && MATH_WRAPPING.test(text.slice(start, number.start));
  const isPlain = isAlone && SIGNS.test(text.slice(start, number.start) + text.slice(number.end, end));
  const isKnown = isPlain && (start === from || number.end > end || number.text.includes(":"));
  if (isAlone && (isPlain || MATH_WRAPPING.test(text.slice(number.end, end))) && isRunResult(number, values, isKnown)) {
    return {
      ...number,
      from,
      end: Math.max(end, number.end),
      values: [...number.values, ...values.slice(1)],
      isFormula: false,
    };
  }
  const isFormula = values.length === 0;
  const shown = isFormula ? run.text : source.trim();
  return {
    text: shown,
    from,
    start: isFormula ? from : start,
    end,
    values,
    hasCurrency: number?.hasCurrency ?? false,
    isFormula,
  };
}

/** A time on the hour, "5 - 3 = 2:00", "1,5 %" and "x = 4k" are numbers that the arithmetic cannot read. */
function isRunResult({ values }: NumberToken, results: readonly Rational[], isKnown: boolean): boolean {
  return (isKnown && values.length > 0) || values.some((value) => isAmongValues(value, results));
}

/** May come between a number and the ends of a formula that is nothing but this number. */
const MATH_WRAPPING = /^(?:[\s$€£¥%°(){}*]|\\[()[\],;:!% ]|\\(?:left|right|text|mathrm)(?![a-zA-Z])|[a-zA-Z])*$/;
/** Money, percent and degree signs don't change a number. */
const SIGNS = /^[\s$€£¥%°*]*$/;

function isAmongValues(value: Rational, others: readonly Rational[]): boolean {
  return others.some((other) => isSameNumber(value, other));
}

function toPlainQuantity(token: NumberToken): Omit<Quantity, "isPercent"> {
  return { ...token, from: token.start, isFormula: false };
}

/** The result of a calculation or an equation, and the sides that it rounds; empty if it is not a number. */
function computeResults({ text, isNamed }: MathRun): readonly Rational[] {
  const written = canonicalize(extractResidue(getLastRow(text)));
  if (isTopLevelList(written) || /[<>]|\\(?:le|ge|ne|in)(?![a-zA-Z])/.test(written)) return [];
  const sides = splitTopLevel(written, "≈").flatMap((part) => splitTopLevel(part, "="));
  // In "18 = x" the name comes last.
  if (sides.length > 1 && isAnswerName(sides.at(-1) ?? "")) sides.pop();
  const result = computeExactValue(stripBrackets(sides.pop() ?? ""));
  if (result === null) return [];
  const others = sides.map(computeExactValue).filter((value) => value !== null);
  // "x^2 - 5x + 6 = 0" is unsolved; "x^2 = 3 * 3 = 9" was calculated.
  if (others.length === 0 && !isNamed && !isAnswerName(sides[0] ?? "") && sides.some(isNonlinear)) return [];
  return [result, ...others.filter((value) => isRounding(result, value))];
}

const ROWS =
  /^\s*\\begin\{(?:align(?:ed|at)?|gather(?:ed)?|equation|split|multline)\*?\}([\s\S]*)\\end\{[a-z]+\*?\}\s*$/;

/** The last line of a multi-line calculation. */
function getLastRow(text: string): string {
  const rows = ROWS.exec(text)?.[1]?.split("\\\\") ?? [];
  return rows.findLast((row) => row.trim() !== "")?.replace(/&/g, " ") ?? text;
}

const MAX_BEFORE = 100;

/** Joins numbers that belong together, "2 hours and 30 minutes". */
function joinPairPieces(text: string, pieces: readonly QuantityPiece[]): QuantityPiece[] {
  const joined: QuantityPiece[] = [];
  for (const piece of pieces) {
    const pair = readPiecePair(text, joined.at(-1), piece);
    if (pair !== null) joined.pop();
    joined.push(pair ?? piece);
  }
  return joined;
}

function readPiecePair(text: string, one: QuantityPiece | undefined, other: QuantityPiece): QuantityPiece | null {
  const [first] = one?.quantity.values ?? [];
  const [second] = other.quantity.values;
  if (one === undefined || first === undefined || second === undefined) return null;
  const { from } = one.quantity;
  const values = readNumberPair(first, second, {
    before: text.slice(Math.max(0, from - MAX_BEFORE), from),
    between: text.slice(findDigitsEnd(text, one), other.quantity.from),
    behind: text.slice(findDigitsEnd(text, other), other.end + 40),
  });
  if (values === null) return null;
  const isFormula = values.length === 0;
  const source = text.slice(from, other.end).trim();
  const whole = isFormula ? `${one.whole}:${other.whole}` : source;
  const quantity = { ...one.quantity, text: whole, end: other.end, values, isFormula };
  return { ...one, quantity, end: other.end, whole };
}

/** The unit belongs to the text between two numbers. */
function findDigitsEnd(text: string, { quantity, end }: QuantityPiece): number {
  return quantity.start + (/^.*\d/s.exec(text.slice(quantity.start, end))?.[0].length ?? 0);
}

/** "And" and "or" in the languages of MGSM and a few others. */
const AND = "and|und|et|y|e|и|和|と|และ|এবং|మరియు|na";
const OR = "or|and/or|oder|ou|o|или|或者?|または|หรือ|বা|లేదా|au";
const JOINT = new RegExp(`^[\\s*_$]*(?<comma>[,;、]?)\\s*(?:(?<or>${OR})|(?<and>${AND}))?[\\s*_$]*$`);

/** "x = 1 or x = 4", "3, 4 and 5" and "$1$, $2$" are lists; "16 - 7 = 9, 9 * 2 = 18" is a calculation. */
function joinListPieces(text: string, pieces: readonly QuantityPiece[]): QuantityPiece[] {
  const joined: QuantityPiece[] = [];
  for (let at = 0; at < pieces.length; ) {
    let to = at + 1;
    while (to < pieces.length && isListJoint(text, pieces[to - 1], pieces[to])) to += 1;
    joined.push(createListPiece(text, pieces.slice(at, to)));
    at = to;
  }
  return joined;
}

const END = /^[\s*_)\]"'$]*(?:[.!?;,<。]|$|\n|(?:and|or|because|since)(?![a-z]))/;
/** "18 and 3 of them are red" starts a new clause. */
const NEW_CLAUSE = /^\s*(?:of|more|less|other|are|is|was|were|has|have|had|will|would|can)(?![a-z])/;

function isListJoint(text: string, one: QuantityPiece | undefined, other: QuantityPiece | undefined): boolean {
  if (one === undefined || other === undefined || !isListElement(one.whole) || !isListElement(other.whole))
    return false;
  const { comma = "", and, or } = JOINT.exec(text.slice(one.end, other.quantity.from))?.groups ?? {};
  if (or !== undefined) return true;
  if (and === undefined && comma === "") return false;
  if ((one.isMarked && other.isMarked) || (one.whole.includes("=") && other.whole.includes("="))) return true;
  const rest = text.slice(other.end, other.end + 40);
  return and === undefined ? END.test(rest) : !NEW_CLAUSE.test(rest);
}

/** List items are numbers, formulas or named values, but not calculations. */
function isListElement(text: string): boolean {
  const [name = "", value, ...more] = splitTopLevel(canonicalize(text), "=");
  return value === undefined || (more.length === 0 && isAnswerName(name));
}

function createListPiece(text: string, pieces: readonly QuantityPiece[]): QuantityPiece {
  const [first, ...others] = pieces;
  const last = others.at(-1);
  if (first === undefined) throw new RangeError("Internal error: a list needs at least one piece.");
  if (last === undefined) return first;
  const { from } = first.quantity;
  const values = findSharedValues(pieces);
  const source = values.length > 0 ? text.slice(from, last.end).trim() : pieces.map(({ whole }) => whole).join(", ");
  const isFormula = values.length === 0;
  const quantity = {
    ...first.quantity,
    text: source,
    start: from,
    end: last.end,
    values,
    hasCurrency: false,
    isFormula,
  };
  return { quantity, end: last.end, whole: source, isMarked: first.isMarked };
}

/** "1/2 or 0.5" and "1/2 or 50%" say one number in two ways. */
function findSharedValues([first, ...others]: readonly QuantityPiece[]): readonly Rational[] {
  const own = first === undefined ? [] : listPieceReadings(first);
  return own.filter((value) => others.every((other) => isAmongValues(value, listPieceReadings(other))));
}

const HUNDRED = { top: 100n, bottom: 1n };

function listPieceReadings({ quantity }: QuantityPiece): readonly Rational[] {
  const shares = quantity.isPercent ? quantity.values.map((value) => divideRationals(value, HUNDRED)) : [];
  return [...quantity.values, ...shares.filter((value) => value !== null)];
}

/** How much text after an announcement is read. */
const MAX_SENTENCE = 400;
/** A period ends a sentence unless it is inside a number or follows an abbreviation. */
const SENTENCE_END = /(?!(?<=\d)!\s+[a-z])[.!?](?=\s|$|["'*)\]$]{1,3}(?:\s|$))|[。！？।]|\n/g;
const SHORT_FORM = /(?:\b(?:approx|Mr|Mrs|Ms|Dr|vs|e\.g|i\.e|Rs|no|sq|ca|bzw|z\.B|etc|p\.m|a\.m))$/i;

const MAX_FORMULA = 1600;

/** The sentence or line that starts here, with its formulas complete; a long one is cut. */
export function extractSentence(text: string, start: number): string {
  const spans = findFormulaSpans(text.slice(start, start + MAX_SENTENCE + MAX_FORMULA)).filter(
    (span) => span.start < MAX_SENTENCE,
  );
  const window = text.slice(start, start + Math.max(MAX_SENTENCE, spans.at(-1)?.end ?? 0));
  for (const { index } of window.matchAll(SENTENCE_END)) {
    if (spans.some((span) => span.start < index && index < span.end - 1)) continue;
    if (window.slice(0, index).trim() !== "" && !SHORT_FORM.test(window.slice(Math.max(0, index - 8), index))) {
      return window.slice(0, isFactorial(window, index) ? index + 1 : index);
    }
  }
  return window;
}

/** An exclamation mark after a number may be a factorial: it is kept, together with the period that shows it is one. */
function isFactorial(text: string, end: number): boolean {
  return /\d!\S?$/.test(text.slice(Math.max(0, end - 2), end + 1));
}

/** "It is not 18", "it can't be 18", "20 rather than 18". */
const DENIED_BEFORE =
  /(?:\bnot|n['’]t|\bcannot|\bnever|\brather than|\binstead of|\bother than)(?:\s(?:be|been|have|is|equals?|to|simply|just|actually|really|exactly|the|answer|an?))*[\s$*_"'“(\\]*$/i;
/** "18 is wrong", "18 eggs is not the answer". */
const DENIED_BEHIND =
  /^[\s*_$"'”)]*(?:\p{L}+\s){0,2}(?:(?:is|are|was|were|would be|must be)\s(?:clearly |definitely |therefore |thus |also |simply )?(?:wrong|incorrect|false|impossible|not)|(?:isn|aren|wasn|can)['’]t|cannot)\b(?!\s(?:only|just)\b)(?!\s\p{L}+ing\b)/iu;
/** "She has more than 6" means another number. "No more than 6" and "at least 6" may be answers. */
const COMPARED =
  /\b(?<!\b(?:no|not)\s)(?:more|less|fewer|greater|larger|smaller|higher|lower|bigger|longer|shorter|older|younger) than(?: or equal to)?[\s$*_(\\]*$/i;
const BEFORE = 80;

/** The numbers and formulas of a sentence that may be its answer. */
export function findAnswerQuantities(sentence: string, options: TokenOptions = {}): Quantity[] {
  return findQuantities(sentence, options).filter(
    (quantity) =>
      isPossibleAnswer(quantity) && !isDeniedQuantity(sentence, quantity) && !isComparedQuantity(sentence, quantity),
  );
}

/** A time such as 3:30 is neither a number nor a formula. */
function isPossibleAnswer({ values, isFormula }: Quantity): boolean {
  return values.length > 0 || isFormula;
}

function isDeniedQuantity(sentence: string, { from, end }: Quantity): boolean {
  return (
    DENIED_BEFORE.test(sentence.slice(Math.max(0, from - BEFORE), from)) ||
    DENIED_BEHIND.test(sentence.slice(end, end + BEFORE)) ||
    isRetracted(sentence.slice(end, end + BEFORE))
  );
}

function isComparedQuantity(sentence: string, { from }: Quantity): boolean {
  return COMPARED.test(sentence.slice(Math.max(0, from - BEFORE), from));
}

const UNKNOWN = /^[\s*_"'“(]*(?:unknown|undetermined|indeterminate|undefined|unclear|not known)\b/i;

/** Whether a stated answer begins by saying that there is none: "unknown; 37 apples were given". */
export function isStatedUnknown(stated: string): boolean {
  return UNKNOWN.test(stated);
}

/** "Step 3", "Case 2": the name of a part of a solution. */
const NAMED = /\b(?:step|case|example|question|problem|equation|method|section|figure|attempt)\s(?:no\.\s?|#)?$/i;
/** "GPT-4": the name of a thing. */
const HYPHENATED_NAME = /\p{Lu}[\p{L}\d]*-$/u;
const LINE_START = /(?:^|\n)[ \t#>*_(-]{0,12}$/;
const MARK = /^\*{0,2}[.):]\*{0,2}(?=\s|$)/;
const MAX_LIST = 5000;
const NEAR = 40;

/** Whether a number only counts or names parts of a text: a list mark, "Step 3", "(2) the price". */
export function isListMark(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - NEAR), start);
  if (NAMED.test(before) || HYPHENATED_NAME.test(before)) return true;
  const digits = text.slice(start, end).replace(/[()]/g, "");
  if (!/^\d{1,2}$/.test(digits)) return false;
  const behind = text.slice(end, end + NEAR);
  const list = text.slice(Math.max(0, start - MAX_LIST), start);
  const previous = Number(digits) - 1;
  if (text[start] === "(" || before.endsWith("(")) {
    const isFollowed = /^\)?\s\p{L}/u.test(behind);
    return isFollowed && (previous === 0 || list.includes(`(${previous})`));
  }
  if (!LINE_START.test(before) || !MARK.test(behind)) return false;
  const isFirst = previous === 0 && /^\S{1,5}[ \t]+\S/.test(behind);
  return isFirst || new RegExp(`(?:^|\\n)[ \\t#>*_(-]{0,12}${previous}\\*{0,2}[.):]`).test(list);
}

/** Where an answer was found, as shown in the evidence. */
type MathAnswerSource = "box" | "####" | "stated" | "last number" | "last formula" | "last line" | "whole text";

export interface MathAnswer {
  readonly text: string;
  readonly source: MathAnswerSource;
  /** The values if it was read as a number; absent if it is still to be read. */
  readonly values?: readonly Rational[];
  readonly isPercent?: boolean;
}

/** A formula is compared as a whole, so it gets no values. */
export function toMathAnswer({ text, values, isFormula, isPercent }: Quantity, source: MathAnswerSource): MathAnswer {
  return isFormula ? { text, source } : { text, source, values, isPercent };
}
