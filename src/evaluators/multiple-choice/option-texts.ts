import { cleanAnswer, extractFirstClause } from "../final-answer/clean.js";
import { isSameNumber } from "../math/arithmetic.js";
import { parseOnlyNumber } from "../math/find-number.js";
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
/** Insignificant white space: around operators and brackets, and between a number and its unit. */
const LOOSE_SPACE = /\s+(?=[-+*/×·÷=<>≤≥≠±^%°),\]])|(?<=[-+*/×·÷=<>≤≥≠±^(,[])\s+|(?<=\d)\s+(?=\p{L})/gu;

/** Characters of values. A hyphen or a slash between letters, and a dash between spaces, belong to words. */
const SIGNS =
  /[\p{N}\p{Sm}\p{Sc}\p{No}^%°\\*_#&@{}[\]]|(?<!\p{L}|\p{L}\s)[-–−/]|[-–−/](?!\p{L}|\s)|\p{L}\(|(?<!\p{L})\p{L}['’′](?!\p{L})/u;

/**
 * Whether a text consists of words, whose punctuation does not matter. In "-2", "1.5", "Na+", "f(x)" and "p < q" it
 * does.
 */
function isWordText(text: string): boolean {
  return !SIGNS.test(text);
}

/** Normalizes a text with values or formulas for comparison character by character. */
function normalizeFormula(text: string): string {
  return text
    .replace(FRACTION, (_, above: string, below: string) => `${wrapInBrackets(above)}/${wrapInBrackets(below)}`)
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

function wrapInBrackets(part: string): string {
  const bare = part.trim();
  return /^[\p{L}\p{N}.]*$/u.test(bare) ? bare : `(${bare})`;
}

/** Ways to normalize texts for comparison, strictest first; null if a text must not be compared this way. */
const NORMALIZERS: readonly ((text: string) => string | null)[] = [
  (text) => text.trim(),
  normalizeFormula,
  (text) => normalizeFormula(text).toLowerCase(),
  (text) => (isWordText(text) ? normalizeAnswer(text, "articles") : null),
];

/**
 * The indices of texts that equal the wanted one: as written, else ignoring case, else, if both
 * consist of words, ignoring punctuation. Articles count: in "A) Rome" the A is not one.
 */
export function findSameTexts(wanted: string, texts: readonly string[]): number[] {
  for (const way of NORMALIZERS) {
    const compared = way(wanted);
    if (compared === null || compared === "") continue;
    const same = texts.flatMap((text, index) => (way(text) === compared ? [index] : []));
    if (same.length > 0) return same;
  }
  return findSameCount(wanted, texts);
}

const BARE_NUMBER = /^\W*\d[\d.,]*\W*$/;
const COUNT = /^\W*\d[\d.,]*(?:\s\p{L}+){1,3}\W*$/u;

/** "18 eggs" is the option "18", and "18" the option "18 eggs": one of them must omit what is counted. */
function findSameCount(wanted: string, texts: readonly string[]): number[] {
  const other = BARE_NUMBER.test(wanted) ? COUNT : COUNT.test(wanted) ? BARE_NUMBER : null;
  if (other === null) return [];
  const values = parseOnlyNumber(wanted);
  const isSame = (text: string): boolean =>
    other.test(text) && parseOnlyNumber(text).some((value) => values.some((own) => isSameNumber(value, own)));
  return texts.flatMap((text, index) => (isSame(text) ? [index] : []));
}

/** Whether the rest continues the value: ", 10" in "5, 10", " - 1" in "x - 1". */
function isValueContinued(value: string, rest: string): boolean {
  if (value.length > 2 && isWordText(value)) return false;
  return /^[)\]"'*_]{0,3}\s*[,;:–—−-]\s*(?:[-+−]?\s?\d|(?<=[–—−-]\s*)\p{L}(?!\p{L}|\s\p{L}))/u.test(rest);
}

const MAX_LINE = 4000;
/** May follow the text of an option before an explanation. */
const AFTER_TEXT = /^[*_"'”)\]]{0,4}(?:\s*(?:$|[.,;:!?(–—])|\s+(?:because|since|as|which|due|is|-)\s)/i;

/** The only option whose text is one of these; null if there is none. */
export function findByText(candidates: readonly string[], texts: readonly string[]): number | null {
  for (const candidate of candidates) {
    const wanted = candidate.slice(0, MAX_LINE);
    // Marks around an answer may also be part of a text: "$5", "'s".
    for (const form of [wanted, cleanAnswer(wanted)]) {
      const same = findSameTexts(form, texts);
      if (same.length === 1) return same[0] ?? null;
    }
  }
  return null;
}

/** The option whose text is the line or its beginning, before an explanation. */
export function findByLine(line: string, texts: readonly string[]): number | null {
  const clause = extractFirstClause(line);
  const said = isValueContinued(clause.trim(), line.replaceAll("**", "").slice(clause.length))
    ? [line]
    : [line, clause];
  return (
    findByText(said, texts) ??
    findByText(said.map(stripArticle), texts.map(stripArticle)) ??
    findByBeginning(line, texts)
  );
}

/** Whether a line is the text of this option, up to an explanation. */
export function isOptionText(line: string, text: string | undefined): boolean {
  return text !== undefined && text.trim() !== "" && findByLine(line, [text]) === 0;
}

const ABBREVIATED =
  /^[A-Z]\.\s(?!(?:this|that|these|those|there|which|because|since)\b)(\p{Ll}{4,})(?:\s*(?:$|\n|[.,;])|\s(?:is|are|was|were|has|have)\s)/u;

/** Whether a text begins with a name such as "C. elegans": the options contain it in this form, or don't contain its word at all. */
export function isAbbreviatedName(said: string, texts: readonly string[]): boolean {
  const [, word = ""] = ABBREVIATED.exec(said) ?? [];
  if (word === "" || texts.length === 0) return false;
  const isInTexts = (part: string): boolean => texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));
  return isInTexts(`${said[0] ?? ""}. ${word}`) || !isInTexts(word.slice(0, 4));
}

/** "The roof" says the text "roof". A capital A may be a letter. */
export function stripArticle(text: string): string {
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
    if (isSaid && !isValueContinued(wanted, rest)) {
      found = index;
      longest = wanted.length;
    }
  }
  return found;
}
