import { latexCharacters, plainText } from "./characters.js";
import { withoutDegrees } from "./degrees.js";
import { GONE, withoutUnits } from "./units.js";
import { withoutText } from "./worded.js";

/** What is longer is no answer: it is compared as it stands. */
const MAX_LENGTH = 2000;

/** Stands for the product of vectors: numbers in their place would not show that their order counts. */
const CROSS_SIGN = "⨯";

/** The commonest answer by far, and already in its only way of writing. */
const PLAIN_NUMBER = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/**
 * An answer in one way of writing, so that equal answers are mostly equal texts: without units, spaces, dollar and
 * percent signs and what only shapes the print, fractions and roots in braces, numbers without separators.
 */
export function canonical(answer: string): string {
  if (answer.length > MAX_LENGTH) return answer.trim();
  if (PLAIN_NUMBER.test(answer)) return answer;
  const latex = withoutPrint(withoutMarkup(latexCharacters(plainText(answer))));
  const worded = withoutUnits(joinedLists(withoutText(latex)));
  return withoutSets(withoutSpaces(plainNumbers(roots(fractions(operators(worded))))));
}

const ALL_REALS = /^(?:[a-z]\\in)?\\mathbb\{?R\}?$/;
const CONDITION = /^\\\{([a-z])(?:\\in\\mathbb\{?R\}?)?(?:\\mid ?|\\vert ?|[|:])(?=.*\1)(.*)\\\}$/;

/** The real numbers as an interval, and a set of numbers with a condition as the condition. */
function withoutSets(text: string): string {
  return text.replace(ALL_REALS, "(-\\infty,\\infty)").replace(CONDITION, "$2");
}

/** Bold, code and quotation marks, and what tells LaTeX from prose. */
function withoutMarkup(text: string): string {
  return text
    .replace(/(?<=[\w)}])\*\*(?=[\w({])/g, "^")
    .replace(/\*\*|__|`|"/g, "")
    .replace(/\\[()[\]]/g, " ")
    .replace(/\\?[$€£¥₹₽₩]/g, "")
    .replace(/^\s*\*|(?<!\w)_|\*\s*$/g, "")
    .trim();
}

/** The product of two vectors that changes its sign with their order. */
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
  // The segment from A to B, which is written AB as well.
  [/\\overline\s?\{\s?([A-Z]{2})\s?\}/g, "$1"],
];

function withoutPrint(text: string): string {
  // A response that was escaped twice writes \\frac. In a matrix, \\ ends a row.
  let plain = text.includes("\\begin") ? text : text.replace(/\\\\(?=[a-zA-Z{}])/g, "\\");
  if (plain.includes("\\times")) plain = plain.replace(CROSS, CROSS_SIGN);
  for (const [pattern, replacement] of PRINT) plain = plain.replace(pattern, replacement);
  return withoutDegrees(plain).trim();
}

function joinedLists(text: string): string {
  // The space tells "100 and 200" from the 100,200 that is one number.
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

function operators(text: string): string {
  let plain = text;
  for (const [pattern, replacement] of OPERATORS) plain = plain.replace(pattern, replacement);
  return plain;
}

function fractions(text: string): string {
  if (!text.includes("frac") && !text.includes("\\over")) return text;
  return text
    .replace(/(?<![\\a-zA-Z])frac(?=\s*\{)/g, "\\frac")
    .replace(/\\frac\s*(\d)\s*(\d)/g, "\\frac{$1}{$2}")
    .replace(/\\frac\s*(\d)\s*(?=\{)/g, "\\frac{$1}")
    .replace(/\\frac\s+([a-zA-Z])\s*([a-zA-Z\d])/g, "\\frac{$1}{$2}")
    .replace(/\\frac\s*\{([^{}]*)\}\s*([\da-zA-Z])/g, "\\frac{$1}{$2}")
    .replace(/\{([^{}]*)\\over(?![a-zA-Z])([^{}]*)\}/g, "\\frac{$1}{$2}");
}

function roots(text: string): string {
  if (!text.includes("sqrt") && !text.includes("root")) return text;
  return text
    .replace(/(?<![\\a-zA-Z])(?:sqrt|root)(?=\s*[({\d])/g, "\\sqrt")
    .replace(/\\sqrt\s*\(([^()]*)\)/g, "\\sqrt{$1}")
    .replace(/\\sqrt\s*(\d+|[a-zA-Z](?![a-zA-Z]))/g, "\\sqrt{$1}");
}

function plainNumbers(text: string): string {
  const isBracketed = /^[\s]*(?:[([]|\\\{)/.test(text);
  const grouped = isBracketed ? text : text.replace(/(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?!\d)/g, withoutSeparators);
  return grouped
    .replace(/(?<=^[1-9]\d{0,2}), (?=0\d{2}$)/, "")
    .replace(/(?<![\d.])[1-9]\d{0,2}(?: \d{3})+(?!\d)/g, withoutSeparators)
    .replace(/(?<![\d.])(\d+)\s+(\d+)\s*\/\s*(\d+)/g, "$1\\frac{$2}{$3}")
    .replace(/(?<=\d)\s+(?=\d)/g, GONE);
}

function withoutSeparators(number: string): string {
  return number.replace(/[, ]/g, "");
}

/** Spaces go, but for the one that ends a command before a letter. Braces that group a single thing go too. */
function withoutSpaces(text: string): string {
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
