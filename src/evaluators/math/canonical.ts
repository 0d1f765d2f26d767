/** Marks where words were removed. */
const REMOVED_WORDS = "\ue000";

/** Longer texts are not answers and are compared as they are. */
const MAX_LENGTH = 2000;

/** Stands for the cross product: with numbers in place of vectors, the order of the factors would not matter. */
const CROSS_SIGN = "⨯";

/** By far the most common answer, and already canonical. */
const PLAIN_NUMBER = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/**
 * Rewrites an answer so that equal answers are mostly equal texts: no units, spaces, dollar and
 * percent signs or layout commands; fractions and roots in braces; numbers without separators.
 */
export function canonicalize(answer: string): string {
  if (answer.length > MAX_LENGTH) return answer.trim();
  if (PLAIN_NUMBER.test(answer)) return answer;
  const latex = stripPrintCommands(stripMarkup(toLatexCharacters(toPlainText(answer))));
  const worded = stripUnits(joinListWords(removeUnitText(latex)));
  return replaceSets(
    removeMathSpaces(normalizeNumbers(normalizeRoots(normalizeFractions(normalizeOperators(worded))))),
  );
}

const ALL_REALS = /^(?:[a-z]\\in)?\\mathbb\{?R\}?$/;
const CONDITION = /^\\\{([a-z])(?:\\in\\mathbb\{?R\}?)?(?:\\mid ?|\\vert ?|[|:])(?=.*\1)(.*)\\\}$/;

/** Writes the real numbers as an interval, and a set with a condition as the condition. */
function replaceSets(text: string): string {
  return text.replace(ALL_REALS, "(-\\infty,\\infty)").replace(CONDITION, "$2");
}

/** Bold, code and quotation marks, and LaTeX delimiters. */
function stripMarkup(text: string): string {
  return text
    .replace(/(?<=[\w)}])\*\*(?=[\w({])/g, "^")
    .replace(/\*\*|__|`|"/g, "")
    .replace(/\\[()[\]]/g, " ")
    .replace(/\\?[$€£¥₹₽₩]/g, "")
    .replace(/^\s*\*|(?<!\w)_|\*\s*$/g, "")
    .trim();
}

/** The cross product changes its sign with the order of its factors. */
const VECTOR = "\\\\(?:vec|mathbf|boldsymbol|bm|hat|overrightarrow)\\s?(?:\\{[^{}]{1,20}\\}|[a-zA-Z])";
const CROSS = new RegExp(`(?<=${VECTOR}\\s?)\\\\times(?=\\s?${VECTOR})`, "g");

const PRINT: readonly (readonly [RegExp, string])[] = [
  [/\\(?:left|right)\./g, ""],
  [/\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|mathop|nonumber)(?![a-zA-Z])/g, ""],
  [/\\!/g, ""],
  [/(?<!\\)\\(?:[,;:> ]|quad|qquad|enspace|thinspace|hspace\{[^{}]*\})(?![a-zA-Z])|~/g, " "],
  [/\\%|%/g, ""],
  [/\\(?:boxed|fbox|framebox|mathbf|boldsymbol|bm|mathit|mathsf|bf)(?![a-zA-Z])\s*/g, ""],
  [/\\[dtc]frac/g, "\\frac"],
  // The segment from A to B, also written AB.
  [/\\overline\s?\{\s?([A-Z]{2})\s?\}/g, "$1"],
];

function stripPrintCommands(text: string): string {
  // A response that was escaped twice writes \\frac. In a matrix, \\ ends a row.
  let plain = text.includes("\\begin") ? text : text.replace(/\\\\(?=[a-zA-Z{}])/g, "\\");
  if (plain.includes("\\times")) plain = plain.replace(CROSS, CROSS_SIGN);
  for (const [pattern, replacement] of PRINT) plain = plain.replace(pattern, replacement);
  return stripDegrees(plain).trim();
}

function joinListWords(text: string): string {
  // The space distinguishes "100 and 200" from the number 100,200.
  return text
    .replace(/\s*,?\s+(?:and|or)\s+/g, ", ")
    .replace(/;/g, ", ")
    .replace(/(?<=\d)\s+to\s+(?=\d)/g, ":");
}

const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/([_^])(\w)\s+(?=\w)/g, "$1{$2}"],
  [/\\(?:cdot|times|ast)(?![a-zA-Z])/g, "*"],
  [/(?<=\d)\s*[xX]\s*(?=\d)/g, "*"],
  [/\\div(?![a-zA-Z])/g, "/"],
  [/\\(?:leqslant|leqq|leq|le)(?![a-zA-Z])|<=/g, "\\le "],
  [/\\(?:geqslant|geqq|geq|ge)(?![a-zA-Z])|>=/g, "\\ge "],
  [/\\(?:neq|ne)(?![a-zA-Z])|!=/g, "\\ne "],
  [/\\lt(?![a-zA-Z])/g, "<"],
  [/\\gt(?![a-zA-Z])/g, ">"],
  [/<([-\d.\s]+(?:,[-\d.\s]+)+)>/g, "($1)"],
  [/\\langle(?![a-zA-Z])/g, "("],
  [/\\rangle(?![a-zA-Z])/g, ")"],
  [/,\s*&/g, "&"],
  [/\\lbrace(?![a-zA-Z])/g, "\\{"],
  [/\\rbrace(?![a-zA-Z])/g, "\\}"],
  [/\\(?:varnothing|empty)(?![a-zA-Z])|\\\{\s*\\\}/g, "\\emptyset "],
  [/\\infin(?:ity)?(?![a-zA-Z])|(?<![\\a-zA-Z])(?:infinity|infty|inf)(?![a-zA-Z])/g, "\\infty "],
  [/\+\s*\\infty/g, "\\infty"],
  [/(?<![\\a-zA-Z])pi(?![a-zA-Z])/g, "\\pi "],
  [/(?<![\\a-zA-Z])(arc(?:sin|cos|tan)|sin|cos|tan|cot|sec|csc|log|ln|exp|max|min)(?![a-zA-Z])/g, "\\$1 "],
  [/\\(?:cup|bigcup)(?![a-zA-Z])|(?<=[)\]])\s*U\s*(?=[([])/g, "\\cup "],
  [/\\(?:approx|simeq)(?![a-zA-Z])/g, "≈"],
];

function normalizeOperators(text: string): string {
  let plain = text;
  for (const [pattern, replacement] of OPERATORS) plain = plain.replace(pattern, replacement);
  return plain;
}

function normalizeFractions(text: string): string {
  if (!text.includes("frac") && !text.includes("\\over")) return text;
  return text
    .replace(/(?<![\\a-zA-Z])frac(?=\s*\{)/g, "\\frac")
    .replace(/\\frac\s*(\d)\s*(\d)/g, "\\frac{$1}{$2}")
    .replace(/\\frac\s*(\d)\s*(?=\{)/g, "\\frac{$1}")
    .replace(/\\frac\s+([a-zA-Z])\s*([a-zA-Z\d])/g, "\\frac{$1}{$2}")
    .replace(/\\frac\s*\{([^{}]*)\}\s*([\da-zA-Z])/g, "\\frac{$1}{$2}")
    .replace(/\{([^{}]*)\\over(?![a-zA-Z])([^{}]*)\}/g, "\\frac{$1}{$2}");
}

function normalizeRoots(text: string): string {
  if (!text.includes("sqrt") && !text.includes("root")) return text;
  return text
    .replace(/(?<![\\a-zA-Z])(?:sqrt|root)(?=\s*[({\d])/g, "\\sqrt")
    .replace(/\\sqrt\s*\(([^()]*)\)/g, "\\sqrt{$1}")
    .replace(/\\sqrt\s*(\d+|[a-zA-Z](?![a-zA-Z]))/g, "\\sqrt{$1}");
}

function normalizeNumbers(text: string): string {
  const isBracketed = /^[\s]*(?:[([]|\\\{)/.test(text);
  const grouped = isBracketed ? text : text.replace(/(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?!\d)/g, stripSeparators);
  return grouped
    .replace(/(?<=^[1-9]\d{0,2}), (?=0\d{2}$)/, "")
    .replace(/(?<![\d.])[1-9]\d{0,2}(?: \d{3})+(?!\d)/g, stripSeparators)
    .replace(/(?<![\d.])(\d+)\s+(\d+)\s*\/\s*(\d+)/g, "$1\\frac{$2}{$3}")
    .replace(/(?<=\d)\s+(?=\d)/g, REMOVED_WORDS);
}

function stripSeparators(number: string): string {
  return number.replace(/[, ]/g, "");
}

/** Removes spaces, except one that ends a command before a letter, and braces around a single item. */
function removeMathSpaces(text: string): string {
  return text
    .replace(/(\\[a-zA-Z]+)\s+(?=[a-zA-Z])/g, "$1\ue001")
    .replace(/\s+/g, "")
    .replace(/\ue001/g, " ")
    .replace(/(?<![a-zA-Z^_}\\\]])\{([^{}\\]*)\}/g, "$1")
    .replace(/\^\(([^()]*)\)/g, "^{$1}")
    .replace(/\^(\d{2,})/g, "^{$1}")
    .replace(/([_^])\{(\w)\}(?!\d)/g, "$1$2")
    .replace(/\ue000+(?!\d)|^\ue000+/g, "")
    .replace(/^\+|(?<![.,])[.,;:]$/g, "");
}

/** The zero of every other script that models answer in; its digits follow it. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0xff10];
const DIGIT =
  /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\uff10-\uff19]/g;

const PLAIN: Record<string, string> = {
  "\u2212": "-",
  "\u2010": "-",
  "\u2011": "-",
  "\ufe63": "-",
  "\uff0d": "-",
  "\u00a0": " ",
  "\u2007": " ",
  "\u2009": " ",
  "\u202f": " ",
  "\u3000": " ",
  "\u200b": "",
  "\u2060": "",
  "\ufeff": "",
  "\uff0c": ",",
  "\uff0e": ".",
  "\uff1a": ":",
  "\uff1d": "=",
  "\uff05": "%",
  "\uff04": "$",
  "\uffe5": "¥",
  "\uff08": "(",
  "\uff09": ")",
  "\uff0b": "+",
  "\uff0f": "/",
  "\uff0a": "*",
  "\u066b": ".",
  "\u066c": ",",
  "\u2044": "/",
  "\u2019": "'",
  "½": " 1/2",
  "⅓": " 1/3",
  "⅔": " 2/3",
  "¼": " 1/4",
  "¾": " 3/4",
  "⅕": " 1/5",
  "⅖": " 2/5",
  "⅗": " 3/5",
  "⅘": " 4/5",
  "⅙": " 1/6",
  "⅚": " 5/6",
  "⅛": " 1/8",
  "⅜": " 3/8",
  "⅝": " 5/8",
  "⅞": " 7/8",
};
const PLAIN_KEYS = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");
const BEYOND_ASCII = /[\u0080-\uffff]/;

/**
 * Writes digits of every script as 0–9, and minus signs, spaces and full-width marks in their plain form; removes
 * LaTeX's thousands separators: `1{,}234`, `1,\\!234`, `1\\,234`.
 */
export function toPlainText(text: string): string {
  const plain = replacePlainCharacters(text);
  return plain.includes("\\") || plain.includes("{") ? plain.replace(LATEX_THOUSANDS, "") : plain;
}

const RESIDUE = /^\s*(-?\d+)\s*(?:\\(?:pmod|bmod|mod)\b|\(mod\b|mod\b)\D*(\d*).*$/;

/** The number of "3 \\pmod{5}"; other texts unchanged, including "12 \\bmod 5". A congruence has many solutions. */
export function extractResidue(text: string): string {
  const [, number, modulus] = text.includes("mod") ? (RESIDUE.exec(text) ?? []) : [];
  return number === undefined || (modulus !== "" && Number(number) >= Number(modulus)) ? text : number;
}

const LATEX_THOUSANDS = /(?<=\d) ?(?:\{ ?, ?\}|,\\!|\\!,|\\,|\\;) ?(?=\d{3}(?!\d))/g;

function replacePlainCharacters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(DIGIT, toAsciiDigit).replace(PLAIN_KEYS, (character) => PLAIN[character] ?? character);
}

function toAsciiDigit(character: string): string {
  const code = character.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code < first + 10) ?? code;
  return String(code - zero);
}

const SYMBOLS: Record<string, string> = {
  π: "\\pi ",
  "∞": "\\infty ",
  "×": "*",
  "·": "*",
  "⋅": "*",
  "∙": "*",
  "÷": "/",
  "±": "\\pm ",
  "∓": "\\mp ",
  "≤": "\\le ",
  "≥": "\\ge ",
  "≠": "\\ne ",
  "≈": "\\approx ",
  "∪": "\\cup ",
  "∩": "\\cap ",
  "∈": "\\in ",
  "∅": "\\emptyset ",
  "√": "\\sqrt ",
  "–": "-",
  "—": "-",
  θ: "\\theta ",
  α: "\\alpha ",
  β: "\\beta ",
  λ: "\\lambda ",
  "“": "",
  "”": "",
  "«": "",
  "»": "",
  "「": "",
  "」": "",
  "。": ".",
  "、": ",",
};
const SYMBOL_KEYS = new RegExp(`[${Object.keys(SYMBOLS).join("")}]`, "g");

/** Exponent digits with their sign. */
const RAISED = /([⁻⁺]?)([⁰¹²³⁴-⁹]+)/g;

function convertRaisedDigits(_: string, sign: string, digits: string): string {
  const exponent = [...digits].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit)).join("");
  return `^{${sign === "⁻" ? "-" : ""}${exponent}}`;
}

/** Writes math characters as LaTeX, for a plain-text answer such as √2 or 3π. */
export function toLatexCharacters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(RAISED, convertRaisedDigits).replace(SYMBOL_KEYS, (character) => SYMBOLS[character] ?? character);
}

/** May come between the verb and the digits of a number. */
const NUMBER_WRAPPING =
  /(?:\\(?:text|textbf|mathbf|boldsymbol|underline|mathrm|displaystyle|boxed|left|bf|color\{\w+\})\s?\{?|\\[([]|\\[,;! ]|[([{*_`"'“”「\s]|\$\$?(?=\s?[\\a-zA-Z*\d.-])|[a-zA-Z](?:_\{?\w\}?)?\s?=|\(?[A-Ea-e]\)\s)/y;
const MAX_WRAPPING = 8;

/** Skips what only wraps a number: brackets, bold marks, `\text{`, `x =`. */
export function skipWrapping(text: string, start: number): number {
  let at = start;
  for (let step = 0; step < MAX_WRAPPING; step++) {
    NUMBER_WRAPPING.lastIndex = at;
    const length = NUMBER_WRAPPING.exec(text)?.[0].length ?? 0;
    if (length === 0) break;
    at += length;
  }
  return at;
}

const MINUS = /^\s-[a-zA-Z(]/;
/** A table cell has spaces in it. */
const ABSOLUTE = /^[\s*\p{Script=Han}]\|\S(?:[^|\n]{0,80}\S)?\|/u;

/** Moves back to a first sign that was taken for markup: "the answer is -q + p", "the answer is |x - 3|". */
export function includeLeadingMark(text: string, start: number): number {
  const from = text.slice(Math.max(0, start - 2), start + 100);
  return start > 1 && (MINUS.test(from) || ABSOLUTE.test(from)) ? start - 1 : start;
}

const COMMANDS = "text|textbf|textit|textrm|textnormal|textsf|mbox|hbox|mathrm|operatorname";
const TEXT = `\\\\(?:${COMMANDS})\\s*\\{([^{}]*)\\}`;
const WHOLE_TEXT = new RegExp(`^${TEXT}[.\\s]*$`);
const AND_TEXT = new RegExp(`\\s*,?\\s*${TEXT.replace("([^{}]*)", "\\s*,?\\s*(?:and|or)\\s*")}\\s*`, "g");
const TEXT_BEHIND = new RegExp(`(?<=[\\d)}\\]a-zA-Z]\\s{0,3})${TEXT}(?:\\s*\\^\\s*\\{?\\d\\}?)?`, "g");
/** "A parabola" is a parabola. */
const ARTICLE = /^(?:an?|the)\s+(?=[a-z]{2})/i;
const ANY_TEXT = new RegExp(TEXT, "g");
const ORDINAL =
  /(?<=\d\s?)\^\s?(?:(?:th|st|nd|rd)(?![a-z])|\{\s?(?:\\rm ?)?(?:th|st|nd|rd)\s?\}|\{?\s?\\(?:text|textrm|mathrm|mbox)\s?\{\s?(?:th|st|nd|rd)\s?\}\s?\}?)/g;
const SYMBOL_NAMES = new Set(["e", "i", "d"]);
const WORDED_NAMES = /[a-zA-Z]{2,}/g;
/** Functions, constants, and list conjunctions. */
const NO_WORD = /^(?:(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?|log|ln|exp|max|min|pi|inf(?:ty|inity)?|and|or)$/;

/** Marks words, so that `\text{no}` is not the product of n and o. */
const WORD = "\ue002";
const WORDS = /\ue002/g;

export function removeWordMarks(text: string): string {
  return text.includes(WORD) ? text.replace(WORDS, "") : text;
}

/** Words after a formula name a unit and are removed; others stay, marked as words. */
function removeUnitText(text: string): string {
  if (!text.includes("\\")) return text.replace(ORDINAL, "");
  const whole = WHOLE_TEXT.exec(text)?.[1];
  if (whole !== undefined) return markWords(whole.trim().replace(ARTICLE, ""));
  return text
    .replace(ORDINAL, "")
    .replace(AND_TEXT, ", ")
    .replace(TEXT_BEHIND, (_, inner: string) => (isUnitText(inner) ? REMOVED_WORDS : markWords(inner)))
    .replace(ANY_TEXT, (_, inner: string) => markWords(inner));
}

const SCALE = /(?<![a-z])(?:dozens?|hundred|thousand|million|billion|trillion)(?![a-z])/i;

/** A number inside \text, `\text{24}` or `\text{ million}`, is not a unit, nor is the `\mathrm{e}` of a power. */
function isUnitText(text: string): boolean {
  return !/\d/.test(text) && !SCALE.test(text) && !SYMBOL_NAMES.has(text);
}

function markWords(words: string): string {
  return /\d/.test(words)
    ? words
    : words.replace(WORDED_NAMES, (word) => (NO_WORD.test(word) ? word : `${WORD}${word}`));
}

/** Words for what was counted or measured. Single letters are left out: m and s are variables as well. */
const MEASURES = [
  "millimet(?:er|re)s?|centimet(?:er|re)s?|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|yards?|foot|feet|inch(?:es)?",
  "mm|cm|km|ft|yd|mi|lbs?|kg|mg|ml|oz|mph|kph|hrs?|mins?|secs?",
  "seconds?|minutes?|hours?|days?|weeks?|months?|years?|degrees?|deg|radians?|rad",
  "pounds?|ounces?|grams?|kilograms?|tons?|tonnes?|lit(?:er|re)s?|gallons?|quarts?|pints?|cups?",
  "dollars?|cents?|euros?|usd|eur|bucks|rupees?|yen|yuan",
  "percent(?:age)?(?: points?)?|pct|units?|points?|ways?|integers?|solutions?|people|students?|times|sides?|edges?",
];
const POWER = "(?:\\s*\\^\\s*\\{?\\d\\}?)?";
const UNIT = `(?:(?:square|cubic|sq\\.?|cu\\.?)\\s*)?(?:${MEASURES.join("|")})${POWER}`;

/** Units right after a number or a closing bracket, including "per": "5 miles per hour". */
const AFTER_NUMBER = new RegExp(
  `(?<=(?:[\\d)}\\]]|\\\\pi)\\s{0,3})(?:\\s*(?:${UNIT})(?![a-z\\d]))(?:\\s*(?:per|/|an?)\\s*(?:${UNIT})(?![a-z\\d]))?`,
  "gi",
);

/** Removes units; between two numbers a mark remains, so that they stay two. */
function stripUnits(text: string): string {
  return /[a-z]{2}/i.test(text) ? text.replace(AFTER_NUMBER, REMOVED_WORDS) : text;
}

const DEGREE = /\s*\^\s*(?:\{\s*\\(?:circ|degree)\s*\}|\\(?:circ|degree)(?![a-zA-Z]))|\\degree(?![a-zA-Z])/g;

const ANGLE = "(?:\\d{1,9}(?:\\.\\d{1,9})?|[a-zA-Z]|\\\\(?:theta|alpha|beta|gamma|phi|varphi))";
const IN_DEGREES = new RegExp(`(${ANGLE})\\s*°`, "g");
/** A function, its power, and its argument: a bracket, or one angle. Inverse functions return angles and take none. */
const FUNCTION_OF_ANGLE = new RegExp(
  `((?<![a-zA-Z])(?:sin|cos|tan|cot|sec|csc)\\s?(?:\\^\\s?\\{?\\d\\}?)?\\s?)(\\([^()]{1,100}\\)|\\{[^{}]{1,100}\\}|-?${ANGLE}\\s?°)`,
  "g",
);
/** With the scale of a temperature, which is a unit as well. */
const DEGREE_UNIT = /\s*°(?:\s*[CF](?![a-zA-Z]))?/g;

/**
 * Degrees are a unit, which an answer may omit, except in the argument of a function: sin 30° is sin(30π/180),
 * and sin 30 is something else.
 */
function stripDegrees(text: string): string {
  const signed = text.includes("\\") ? text.replace(DEGREE, "°") : text;
  if (!signed.includes("°")) return signed;
  return signed
    .replace(FUNCTION_OF_ANGLE, (_, name: string, angle: string) => `${name}${toRadians(angle)}`)
    .replace(DEGREE_UNIT, "");
}

function toRadians(angle: string): string {
  const converted = angle.replace(IN_DEGREES, "\\frac{$1\\pi}{180}");
  return converted.startsWith("(") ? converted : `(${converted})`;
}
