import type { Example } from "../../core/example.js";
import { clauseOf, cleaned } from "../final-answer/clean.js";
import { goldsOf, textOf } from "../gold.js";
import { sameNumber } from "../math/arithmetic.js";
import { onlyNumber } from "../math/find-number.js";
import { normalizeAnswer } from "../normalize.js";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const SUPERSCRIPT = /⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g;
const FRACTION = /\\[dt]?frac\s?\{([^{}]*)\}\s?\{([^{}]*)\}/g;
const SPACING = /\\[,;:! ]|\\(?:left|right|displaystyle)(?![a-z])|~/gi;
const TEXT_COMMAND = /\\(?:text|textbf|mathrm|mathbf|mathit|operatorname)\s?\{([^{}]*)\}/g;
const SYMBOLS: Readonly<Record<string, string>> = {
  times: "×",
  cdot: "·",
  div: "÷",
  pi: "π",
  pm: "±",
  le: "≤",
  leq: "≤",
  ge: "≥",
  geq: "≥",
  ne: "≠",
  neq: "≠",
  infty: "∞",
  neg: "¬",
  circ: "°",
};
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,]*\d)/g;
/** Punctuation that ends a clause or quotes, and does not belong to a number or a formula. */
const CLAUSE_MARKS = /(?<!\d)["“”]|[.,;:!?](?=\s*$|\s+[^\d\s+−-])/g;
/** White space that tells nothing apart: around operators and brackets, and between a number and its unit. */
const LOOSE_SPACE = /\s+(?=[-+*/×·÷=<>≤≥≠±^%°),\]])|(?<=[-+*/×·÷=<>≤≥≠±^(,[])\s+|(?<=\d)\s+(?=\p{L})/gu;

/** Signs that a value is made of. A hyphen or a slash between letters, and a dash between spaces, are those of words. */
const SIGNS =
  /[\p{N}\p{Sm}\p{Sc}\p{No}^%°\\*_#&@{}[\]]|(?<!\p{L}|\p{L}\s)[-–−/]|[-–−/](?!\p{L}|\s)|\p{L}\(|(?<!\p{L})\p{L}['’′](?!\p{L})/u;

/**
 * Whether a text consists of words, whose punctuation does not matter. In "-2", "1.5", "Na+", "f(x)" and "p < q" it
 * does.
 */
function isWords(text: string): boolean {
  return !SIGNS.test(text);
}

/** A text with values or formulas, in one way of writing: what is left is compared sign by sign. */
function writeFormula(text: string): string {
  return text
    .replace(FRACTION, (_, above: string, below: string) => `${inBrackets(above)}/${inBrackets(below)}`)
    .replace(TEXT_COMMAND, "$1")
    .replace(/(?<=\w|\})\^\s?\\circ(?![a-z])/g, "°")
    .replace(/\\([a-z]+)/gi, (command, name: string) => SYMBOLS[name] ?? command)
    .replace(SPACING, (mark) => (mark === "~" ? mark : " "))
    .replace(/\\(?=[%$#&{}])/g, "")
    .replace(/\$/g, "")
    .replace(
      SUPERSCRIPT,
      (power) => `^${[...power].map((digit) => (digit === "⁻" ? "-" : SUPERSCRIPTS.indexOf(digit))).join("")}`,
    )
    .replace(/([\^_])\{([^{}]*)\}/g, "$1$2")
    .replace(/[−–](?=\s?[\d.\p{L}(])/gu, "-")
    .replace(THOUSANDS, (number) => number.replaceAll(",", ""))
    .replace(CLAUSE_MARKS, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(LOOSE_SPACE, "");
}

function inBrackets(part: string): string {
  const bare = part.trim();
  return /^[\p{L}\p{N}.]*$/u.test(bare) ? bare : `(${bare})`;
}

/** How texts may be the same, the strictest first; null where a text is not to be compared in this way. */
const WAYS: readonly ((text: string) => string | null)[] = [
  (text) => text.trim(),
  writeFormula,
  (text) => writeFormula(text).toLowerCase(),
  (text) => (isWords(text) ? normalizeAnswer(text, "articles") : null),
];

/**
 * The places of the texts that say the same as a wanted one: as it is written, else letter case aside, else, where both
 * consist of words, without punctuation. Articles count: in "A) Rome" the A is none.
 */
function findSame(wanted: string, texts: readonly string[]): number[] {
  for (const way of WAYS) {
    const compared = way(wanted);
    if (compared === null || compared === "") continue;
    const same = texts.flatMap((text, index) => (way(text) === compared ? [index] : []));
    if (same.length > 0) return same;
  }
  return findSameCount(wanted, texts);
}

const BARE_NUMBER = /^\W*\d[\d.,]*\W*$/;
const COUNT = /^\W*\d[\d.,]*(?:\s\p{L}+){1,3}\W*$/u;

/** "18 eggs" is the option "18", and "18" the option "18 eggs": one of them must go without what is counted. */
function findSameCount(wanted: string, texts: readonly string[]): number[] {
  const other = BARE_NUMBER.test(wanted) ? COUNT : COUNT.test(wanted) ? BARE_NUMBER : null;
  if (other === null) return [];
  const values = onlyNumber(wanted);
  const isSame = (text: string): boolean =>
    other.test(text) && onlyNumber(text).some((value) => values.some((own) => sameNumber(value, own)));
  return texts.flatMap((text, index) => (isSame(text) ? [index] : []));
}

/** Whether what follows a value goes on with it: the ", 10" of "5, 10", the " - 1" of "x - 1". */
function isContinued(value: string, rest: string): boolean {
  if (value.length > 2 && isWords(value)) return false;
  return /^[)\]"'*_]{0,3}\s*[,;:–—−-]\s*(?:[-+−]?\s?\d|(?<=[–—−-]\s*)\p{L}(?!\p{L}|\s\p{L}))/u.test(rest);
}

/** The labels that options go by: A, B, C … and, where the gold is a number, 1, 2, 3 … too. */
export interface Labels {
  /** How many options there are; a label beyond them is no answer. */
  count: number;
  isNumbered: boolean;
}

/** The options of a question. */
export interface Options extends Labels {
  /** The text of each, empty when only their letters are known. */
  texts: readonly string[];
  /** Whether an answer must name its letter: the text of an option alone chooses nothing. */
  isLetterRequired?: boolean;
}

const A = "A".charCodeAt(0);
/** There are no labels after Z. */
export const MOST_OPTIONS = 26;

/** The place of a label among the options, from 0; -1 when there is no such option. */
export function indexOfLabel(label: string, { count, isNumbered }: Labels): number {
  const isNumber = /^\d{1,2}$/.test(label);
  if (isNumber && !isNumbered) return -1;
  const index = isNumber ? Number(label) - 1 : letterIndex(label);
  return index >= 0 && index < count ? index : -1;
}

/** The place of a letter in the alphabet, from 0; -1 for anything else. */
export function letterIndex(letter: string): number {
  return /^[a-z]$/i.test(letter) ? letter.toUpperCase().charCodeAt(0) - A : -1;
}

/** The letter of an option. */
export function letterOf(index: number): string {
  return String.fromCharCode(A + index);
}

const MAX_LINE = 4000;
/** What may follow an option's text that an explanation follows. */
const AFTER_TEXT = /^[*_"'”)\]]{0,4}(?:\s*(?:$|[.,;:!?(–—])|\s+(?:because|since|as|which|due|is|-)\s)/i;

/** The one option whose text is one of these; null when there is none. */
export function findByText(candidates: readonly string[], texts: readonly string[]): number | null {
  for (const candidate of candidates) {
    const wanted = candidate.slice(0, MAX_LINE);
    // What is put around an answer may also be part of a text: "$5", "'s".
    for (const form of [wanted, cleaned(wanted)]) {
      const same = findSame(form, texts);
      if (same.length === 1) return same[0] ?? null;
    }
  }
  return null;
}

/** The option whose text a line consists of or begins with, before it goes on to explain. */
export function findByLine(line: string, texts: readonly string[]): number | null {
  const clause = clauseOf(line);
  const said = isContinued(clause.trim(), line.replaceAll("**", "").slice(clause.length)) ? [line] : [line, clause];
  return (
    findByText(said, texts) ??
    findByText(said.map(withoutArticle), texts.map(withoutArticle)) ??
    findByBeginning(line, texts)
  );
}

/** Whether a line says the text of this option, and nothing else before it explains. */
export function saysText(line: string, text: string | undefined): boolean {
  return text !== undefined && text.trim() !== "" && findByLine(line, [text]) === 0;
}

const ABBREVIATED =
  /^[A-Z]\.\s(?!(?:this|that|these|those|there|which|because|since)\b)(\p{Ll}{4,})(?:\s*(?:$|\n|[.,;])|\s(?:is|are|was|were|has|have)\s)/u;

/** Whether a text begins with a name such as "C. elegans": the options hold it as such, or do not hold its word at all. */
export function isAbbreviation(said: string, texts: readonly string[]): boolean {
  const [, word = ""] = ABBREVIATED.exec(said) ?? [];
  if (word === "" || texts.length === 0) return false;
  const isInTexts = (part: string): boolean => texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));
  return isInTexts(`${said[0] ?? ""}. ${word}`) || !isInTexts(word.slice(0, 4));
}

/** "The roof" says the text "roof". A capital A may be a letter. */
export function withoutArticle(text: string): string {
  return text.trimStart().replace(/^(?:[Tt]he|[Aa]n|a) (?=\S)/, "");
}

function findByBeginning(line: string, texts: readonly string[]): number | null {
  const said = line
    .trimStart()
    .replace(/^[*_"'“(]+/, "")
    .slice(0, MAX_LINE)
    .toLowerCase();
  let found: number | null = null;
  let longest = 0;
  for (const [index, text] of texts.entries()) {
    const wanted = text.trim().replace(/\.$/, "").toLowerCase();
    const rest = said.slice(wanted.length);
    const isSaid = wanted.length > longest && said.startsWith(wanted) && AFTER_TEXT.test(rest);
    if (isSaid && !isContinued(wanted, rest)) {
      found = index;
      longest = wanted.length;
    }
  }
  return found;
}

/** The question as it is scored: its options, and which of them are right. */
export interface Question {
  options: Options;
  right: ReadonlySet<number>;
}

/** What is assumed of a question that does not tell its choices. */
const USUAL_COUNT = 10;
const LABELLED = /^\(?([a-z])(?:[).:]|\)[.:])\s+(\S[\s\S]*)$/i;
const LETTER = /^\(?([a-z])\)?[.:]?$/i;
const NUMBER = /^\d{1,2}$/;

/** The options of an example and the right ones; a reason in words when they cannot be told. */
export function questionOf(example: Example): Question | string {
  const texts = choicesOf(example);
  if (texts.length > MOST_OPTIONS) return `the example has ${texts.length} choices, more than there are letters`;
  const golds = goldsOf(example).map((gold) => gold.trim());
  const right = new Set(golds.flatMap((gold) => indicesOf(gold, texts)));
  if (right.size === 0) for (const index of givenIndices(example, texts)) right.add(index);
  if (right.size === 0) return reasonFor(golds, texts);
  const count = texts.length || Math.max(USUAL_COUNT, ...[...right].map((index) => index + 1));
  return { options: { texts, count, isNumbered: golds.some((gold) => isNumberOf(gold, right, texts)) }, right };
}

function choicesOf({ choices }: Example): string[] {
  return Array.isArray(choices) ? choices.map(textOf) : [];
}

function indicesOf(gold: string, texts: readonly string[]): number[] {
  const exact = placesOf(texts, (text) => text.trim() === gold);
  if (exact.length > 0) return exact;
  const letter = LETTER.exec(gold)?.[1];
  if (letter !== undefined) return within([letterIndex(letter)], texts);
  const same = findSame(gold, texts);
  if (same.length > 0) return same;
  const labelled = LABELLED.exec(gold);
  return labelled === null ? [] : within([letterIndex(labelled[1] ?? "")], texts);
}

/** `answer_index` and `label` count from 0, as the datasets that have them do; a letter in them is a letter. */
function givenIndices({ answer_index, label }: Example, texts: readonly string[]): number[] {
  for (const given of [answer_index, label]) {
    const text = textOf(given).trim();
    const index = NUMBER.test(text) ? Number(text) : letterIndex(text);
    const found = index >= 0 ? within([index], texts) : [];
    if (found.length > 0) return found;
  }
  return [];
}

function within(indices: readonly number[], texts: readonly string[]): number[] {
  const count = texts.length || MOST_OPTIONS;
  return indices.filter((index) => index >= 0 && index < count);
}

/** Whether options go by their numbers: the gold is one, and what `answer_index` says shows that it counts from 1. */
function isNumberOf(gold: string, right: ReadonlySet<number>, texts: readonly string[]): boolean {
  return isBareNumber(gold, texts) && right.has(Number(gold) - 1);
}

function isBareNumber(gold: string, texts: readonly string[]): boolean {
  return NUMBER.test(gold) && findSame(gold, texts).length === 0;
}

function placesOf(texts: readonly string[], isWanted: (text: string) => boolean): number[] {
  return texts.flatMap((text, index) => (isWanted(text) ? [index] : []));
}

function reasonFor(golds: readonly string[], texts: readonly string[]): string {
  const [gold] = golds;
  if (gold === undefined) return "the example has no gold answer (answer, answer_index or label)";
  if (isBareNumber(gold, texts)) {
    return `the answer ${gold} may count from 0 or from 1: give answer_index, which counts from 0, or as the answer the letter or the text of the choice`;
  }
  const shown = JSON.stringify(gold.length > 60 ? `${gold.slice(0, 59)}…` : gold);
  if (texts.length === 0) return `the answer ${shown} is no letter, and the example has no choices to find it in`;
  return `the answer ${shown} is none of the example's choices, nor the letter of one`;
}
