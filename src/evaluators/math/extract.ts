import { extractOwnAnswer } from "../own-answer.js";
import { COPULAS, findStatedAnswers, type StatedAnswer } from "../stated-answer/index.js";
import { includeLeadingMark, toPlainText } from "./canonical.js";
import {
  findLastDigit,
  findLastNumber,
  findLeadingQuantity,
  findStatedNumber,
  MATHS,
  toPlainWords,
} from "./find-number.js";
import { findOnlyWordedNumber, parseWordedNumber, type TokenOptions } from "./numbers.js";
import { extractSentence, findQuantities, type MathAnswer, toMathAnswer } from "./quantities.js";
import { type FormulaSpan, findFormulaSpans } from "./runs.js";

/** The answer of a gold solution: its last box, or what follows "####", else all of it. */
export function extractGoldAnswer(gold: string): string {
  const box = findLastBox(gold);
  return box?.content ?? findLastHashed(gold) ?? gold.trim();
}

interface ExtractOptions {
  /**
   * Accept a solution with GSM8K's calculator marks that never reaches its "####". The official grader of GSM8K
   * calls that unfinished.
   */
  readonly acceptsUnfinished?: boolean;
  /** If the question mentions millions or dozens, an answer may count in them. */
  readonly question?: string;
}

/** Extracts the answer to a problem with a numeric answer; null if there is none. */
export function extractNumber(
  response: string,
  { acceptsUnfinished = false, question = "" }: ExtractOptions = {},
): MathAnswer | null {
  const written = extractOwnAnswer(toPlainText(response));
  const whole = written.includes("<<") ? written.replace(CALCULATOR, "") : written;
  const text = stripCutFormula(whole).replace(SPACED_MINUS, "-");
  const options = { decimalComma: hasDecimalComma(text), question };
  const box = findLastBox(text);
  if (box !== null) return { text: box.content, source: "box" };
  const hashed = findFirstHashed(text) ?? findFinalHashed(text);
  const stated = hashed !== null && isBare(hashed) ? null : findStatedNumber(text, options);
  if (hashed !== null && stated === null) return readHashedNumber(hashed, options);
  if (stated !== null) return stated;
  if (!acceptsUnfinished && isUnfinishedSolution(written)) return null;
  const last = isRefusal(text) ? null : findLastNumber(text, options);
  if (last !== null) return toMathAnswer(last, last.isFormula ? "last formula" : "last number");
  return findWordedAnswer(text) ?? dropUnfoundNumbers(findStatedFormula(text) ?? findLastFormula(text));
}

/** Digits in a text without an answer do not count: "The answer is not 18", "Step 3". */
function dropUnfoundNumbers(answer: MathAnswer | null): MathAnswer | null {
  return answer !== null && /\d/.test(answer.text) ? { ...answer, values: [] } : answer;
}

/** Extracts the answer to a problem whose answer is a formula or a text; null if there is none. */
export function extractFormula(response: string): MathAnswer | null {
  const text = stripCutFormula(extractOwnAnswer(toPlainText(response)));
  const box = findLastBox(text);
  if (box !== null) return { text: box.content, source: "box" };
  const hashed = findFirstHashed(text) ?? findFinalHashed(text);
  if (hashed !== null) return { text: hashed, source: "####" };
  return findStatedFormula(text) ?? findLastFormula(text);
}

function isBare(content: string): boolean {
  return !/\p{L}{3,}/u.test(content);
}

/** Text after "####" is read whole, as in a box. Words may follow its number, and only then other numbers. */
function readHashedNumber(content: string, options: TokenOptions): MathAnswer {
  const words = toPlainWords(content);
  const leading = findLeadingQuantity(words, options);
  const [rest = ""] = words.slice(leading?.end).split(/\p{L}{3}/u, 1);
  return leading === null || MATHS.test(rest) ? { text: content, source: "####" } : toMathAnswer(leading, "####");
}

/** "The answer is - 4": after a verb or a colon a dash before a number is its sign. */
const SPACED_MINUS = new RegExp(`[-–](?<=(?:(?<!\\p{L})(?:${COPULAS.join("|")}) |: ?)[-–]) (?=\\d)`, "giu");

/** GSM8K's calculator marks, `<<48/2=24>>`. */
const CALCULATOR = /<<[^<>\n]{1,200}>>/g;

/** Whether a solution in GSM8K's form still calculates in its last line with a digit, so that nothing concludes it. */
function isUnfinishedSolution(written: string): boolean {
  const digit = written.includes("<<") ? findLastDigit(written) : -1;
  const line = written.slice(written.lastIndexOf("\n", digit) + 1);
  return digit !== -1 && line.search(CALCULATOR) !== -1;
}

const SHORT = 60;
const FEW_WORDS = 5;

function findWordedAnswer(text: string): MathAnswer | null {
  const short = text.trim();
  const isShort = short.length <= SHORT && short.split(/\s+/).length <= FEW_WORDS;
  const value = (isShort ? parseWordedNumber(short) : null) ?? (isRefusal(text) ? null : findOnlyWordedNumber(short));
  return value === null ? null : { text: short, source: "whole text", values: [value] };
}

const REFUSAL =
  /\b(?:can(?:not|['’]t| not)|could(?: not|n['’]t)|(?:un|not )able to|(?:im|not )possible to)(?: be)? (?:\w+ )?(?:answer|help|solve|determine|find|calculate|compute|tell|say|know|provide|give)|(?:\bnot enough|n['’]t enough|\binsufficient|\bno) (?:information|data|details|context)|\b(?<!\b(?:the|an|each|one) )(?:unknown|undetermined|indeterminate|unclear)(?=\s*(?:[.;:!]|$))/gi;
const CONCLUSION = /[=≈]|\b(?:but|however|so|thus|therefore|hence|assum\w+|if|then|total|must)\b/i;
const MAX_REFUSAL = 600;

/** Whether a short text only says why it gives no answer: its numbers come from the question. */
export function isRefusal(text: string): boolean {
  if (text.length > MAX_REFUSAL) return false;
  const last = [...text.matchAll(REFUSAL)].at(-1);
  return last !== undefined && !CONCLUSION.test(text.slice(last.index + last[0].length));
}

interface AnswerBox {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

const OPENING = /\\(?:boxed|fbox|framebox)\s*\{/g;
const SPACED = /\\boxed +([^${}\n]{1,200})/g;

/**
 * The last `\boxed{…}` or `\fbox{…}`; null if no box is closed and non-empty. Adjacent boxes, joined by a comma, "and" or
 * "or", are one answer.
 */
function findLastBox(text: string): AnswerBox | null {
  if (!text.includes("\\boxed") && !text.includes("\\f")) return null;
  const boxes = findClosedBoxes(text).filter(({ content }) => content.trim() !== "");
  const last = boxes.pop();
  return last === undefined ? findSpacedBox(text) : joinBoxes(text, boxes, last);
}

/** One pass with a stack, since a text may open a thousand boxes and close none. */
function findClosedBoxes(text: string): AnswerBox[] {
  const openings = new Map<number, number>();
  for (const match of text.matchAll(OPENING)) openings.set(match.index + match[0].length - 1, match.index);
  const [first] = openings.keys();
  if (first === undefined) return [];
  const open: number[] = [];
  const boxes: AnswerBox[] = [];
  for (let at = first; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "{") open.push(at);
    else if (character === "}") {
      const brace = open.pop();
      const start = brace === undefined ? undefined : openings.get(brace);
      if (brace !== undefined && start !== undefined)
        boxes.push({ content: text.slice(brace + 1, at), start, end: at + 1 });
    }
  }
  return boxes.sort((a, b) => a.start - b.start);
}

const SPACE = "(?:[\\s$.~]|\\\\(?:[()[\\],;]|q?quad))*";
const JOINT = new RegExp(
  `^${SPACE}(?:,|,?\\s*(?:and|or)\\b|\\\\text\\{\\s*,?\\s*(?:and|or)\\s*\\})${SPACE}(?:[a-z](?:_\\d)?\\s*=\\s*)?$`,
);
const MAX_JOINT = 40;
const MAX_JOINED = 20;

function joinBoxes(text: string, before: readonly AnswerBox[], last: AnswerBox): AnswerBox {
  const joined = [last];
  for (const box of before.slice(-MAX_JOINED).reverse()) {
    const next = joined.at(-1)?.start ?? 0;
    const isJoined = next - box.end <= MAX_JOINT && JOINT.test(text.slice(box.end, next));
    if (!isJoined) break;
    joined.push(box);
  }
  const contents = new Set(joined.reverse().map(({ content }) => content.trim()));
  return { ...last, content: [...contents].join(", ") };
}

/** `\boxed 24`, as in some MATH solutions. */
function findSpacedBox(text: string): AnswerBox | null {
  const match = [...text.matchAll(SPACED)].pop();
  const content = match?.[1]?.trim() ?? "";
  return match === undefined || content === ""
    ? null
    : { content, start: match.index, end: match.index + match[0].length };
}

// "####" is also a Markdown heading, "#### 2. Add the costs": a number with its own period is not an answer.
const HASHES = /#### ?[ \t]*(?!\**\d+[.)]\**[ \t]+\S)(?=\**[$€£¥\\({-]*[\d.-])([^\n]{1,300})/g;

/** The first "####" with a number: a model that continues after it has begun something else. */
function findFirstHashed(text: string): string | null {
  for (const { 1: line = "" } of text.matchAll(HASHES)) if (/\d/.test(line)) return line.trim();
  return null;
}

/** "####" on the last line, where it cannot be a heading. */
function findFinalHashed(text: string): string | null {
  return /(?:^|\n)####[ \t]*([^\s#][^\n]{0,300})\s*$/.exec(text)?.[1]?.trim() ?? null;
}

/** For gold solutions, where nothing follows the last "####". */
function findLastHashed(text: string): string | null {
  const at = text.lastIndexOf("####");
  const content = at === -1 ? "" : text.slice(at + 4).trim();
  return content === "" ? null : content;
}

/** How much of the end of a text is read. */
const TAIL = 1000;
/** Words and sentence ends, which no formula spans; command names are not words. */
const WORD = /(?<![\\\p{L}])\p{L}{2,}|[.!?]\s|\n\s*\n/gu;
const WORD_OR_CLAUSE = /(?<![\\\p{L}])\p{L}{2,}|[.!?,;:]\s|\n\s*\n/gu;
/** Brackets that only surround an answer: a number in them is complete. */
const SURROUNDING = /(?:\\(?:boxed|fbox|framebox|text|textbf|mathbf|boldsymbol|mathrm)\s?|^|[\s$*:=]|\\)$/;
const PLAIN_NUMBER = /^[\s$\\*]*-?\d(?:[\d,]*\d)?(?:\.\d+)?[\s$.*%]*$/;
const BOX = /\\(?:boxed|fbox|framebox)\s?$/;
/** A calculation whose next number is missing. A star without a space before it may end italics. */
const OPEN_CALCULATION = /[\d)}\]](?:[ \t]*(?:[+×÷/^=]|\\(?:times|cdot|div)|(?<=[ \t])[-–*])[ \t]*)\s*$/;

/**
 * Removes a formula that the text was cut off in, since its numbers are not the answer: "The answer is $\\frac{1}{3", "So she
 * has 9 +". A number alone in an unclosed bracket, `\\boxed{18`, is kept.
 */
function stripCutFormula(text: string): string {
  const from = Math.max(0, text.length - TAIL);
  const tail = text.slice(from);
  const cut = OPEN_CALCULATION.test(tail) ? tail.length : findOpenBracket(tail);
  if (cut === -1) return text;
  const before = tail.slice(0, cut);
  return text.slice(0, from + (BOX.exec(before)?.index ?? findLastMatchEnd(before, WORD_OR_CLAUSE)));
}

/** The outermost unclosed bracket with mathematics after it; -1 if there is none. */
function findOpenBracket(tail: string): number {
  let depth = 0;
  let found = -1;
  const first = findLastMatchEnd(tail, WORD);
  for (let at = tail.length - 1; at >= first; at--) {
    const character = tail[at] ?? "";
    if (")]}".includes(character)) depth += 1;
    else if ("([{".includes(character)) depth -= 1;
    if (depth >= 0) continue;
    depth = 0;
    if (!isSurroundingBracket(tail, at)) found = at;
  }
  return found;
}

function isSurroundingBracket(tail: string, at: number): boolean {
  return SURROUNDING.test(tail.slice(Math.max(0, at - 14), at)) && PLAIN_NUMBER.test(tail.slice(at + 1));
}

function findLastMatchEnd(text: string, pattern: RegExp): number {
  const last = [...text.matchAll(pattern)].at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

const AND = /^\s*(?:,|,?\s*(?:and|or))\s*$/;
const MAX_WORDS = 12;
/** A continuation after a complete answer. */
const REASON = /^\s*[,(]?\s*(?:because|since|as|where|when|which|so|due to|for (?:all|every|any|some))(?![a-z])/i;
/** The same after words, some of which belong to an answer in words. */
const REASON_BEHIND = /[\s*_]*[,(]?\s(?:because|since|due to|which)(?![a-z]).*$/is;

/** The formula, or the words, last stated as the answer; null if there is none. */
function findStatedFormula(text: string): MathAnswer | null {
  for (const statement of findStatedAnswers(text, { isShortNameKnown: true })) {
    if (statement.by === "box" || statement.isDenied) continue;
    const stated = readStatedFormula(text, statement);
    if (stated !== null) return { text: stated, source: "stated" };
  }
  return null;
}

function readStatedFormula(whole: string, { start: from, end, by, isFinal }: StatedAnswer): string | null {
  if (by === "space" && !isFinal) return null;
  const text = whole.slice(0, end);
  const start = includeLeadingMark(text, from);
  const window = text.slice(start, start + 2000);
  const spans = findFormulaSpans(window);
  if (spans[0]?.start === 0) return joinSpans(window, spans);
  const sentence = extractSentence(text, start).trim();
  const inside = spans.filter(({ end }) => end <= sentence.length + 3);
  if (inside.length > 0) return inside.at(-1)?.content ?? null;
  const formula = findLeadingQuantity(sentence);
  const rest = sentence.slice(formula?.end ?? 0);
  if (formula?.isFormula === true && (/^[.。]?$/.test(rest) || REASON.test(rest))) return formula.text;
  const words = sentence.replace(REASON_BEHIND, "");
  return words === "" || words.split(/\s+/).length > MAX_WORDS ? null : words;
}

/** "$2$ and $3$" is one answer. */
function joinSpans(text: string, spans: readonly FormulaSpan[]): string {
  const contents: string[] = [];
  let end = -1;
  for (const span of spans) {
    if (end !== -1 && !AND.test(text.slice(end, span.start))) break;
    contents.push(span.content);
    end = span.end;
  }
  return contents.join(", ");
}

const STATED_FORMULA_TAIL = 3000;
const UNIT = /^(?:\s\p{L}+){0,3}[²³]?[\s.]*$/u;
const MAX_LINE = 200;

/** The last formula of a text that states no answer, else its last line. */
function findLastFormula(text: string): MathAnswer | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (!trimmed.includes("\n") && trimmed.length <= MAX_LINE && findFormulaSpans(trimmed).length !== 1)
    return findOnlyFormula(trimmed) ?? { text: trimmed, source: "whole text" };
  const last = findFormulaSpans(trimmed.slice(-STATED_FORMULA_TAIL)).at(-1);
  if (last !== undefined) return { text: last.content, source: "last formula" };
  return { text: takeLastWords(trimmed.slice(trimmed.lastIndexOf("\n") + 1)), source: "last line" };
}

/** The only formula of a sentence, followed at most by its unit: "The area is 25π square units." */
function findOnlyFormula(sentence: string): MathAnswer | null {
  const [formula, another] = findQuantities(sentence);
  if (formula?.isFormula !== true || another !== undefined) return null;
  return UNIT.test(sentence.slice(formula.end)) ? { text: formula.text, source: "last formula" } : null;
}

/** The end of a line, starting at a word. */
function takeLastWords(line: string): string {
  return line.length <= MAX_LINE ? line : line.slice(-MAX_LINE).replace(/^\S+/, "");
}

/** Common words of German, Spanish, French, Portuguese, Italian, Dutch, Indonesian and Turkish; also amounts before a currency. */
const WORDS =
  /(?<![\p{L}])(?:der|die|das|und|ist|sind|pro|insgesamt|er|sie|wir|im|ein|eine|einen|für|mit|von|zu|verdient|kostet|beträgt|jahr|monat|woche|tag|stunde|el|los|las|una|es|por|le|les|des|est|une|il|elle|é|uma|di|che|è|het|een|adalah|bir|antwort|respuesta|réponse)(?![\p{L}])|(?<=\d )\$(?=[\s.,]|$)/giu;
/** Thousands before a currency: money does not have three decimals. */
const MONEY =
  /(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+\s?(?:€|(?:euros?|eur|dollar|us-dollar|dólares|reais|pesos|franken|kronen|lire|rupiah|lira)(?![\p{L}]))/iu;
const CYRILLIC = /[а-яё]{3}/i;
const LOCALE_TAIL = 600;

/** Whether a text is in a language that writes 1.234,5 for 1,234.5, judged by its end. */
function hasDecimalComma(text: string): boolean {
  const end = text.slice(-LOCALE_TAIL);
  return (
    CYRILLIC.test(end) ||
    MONEY.test(end) ||
    new Set((end.match(WORDS) ?? []).map((word) => word.toLowerCase())).size >= 2
  );
}
