import { valuesOf } from "./number-values.js";
import type { Rational } from "./rational.js";

/** A number as it stands in a text. */
export interface NumberToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /**
   * What it may mean, the likeliest first: "1.234" is a thousand and more where a comma marks decimals. Nothing for a
   * number that is only a part of a formula.
   */
  readonly values: readonly Rational[];
  readonly hasCurrency: boolean;
}

// A sign belongs to the number unless it stands behind another one, where it subtracts or spans a range.
const SIGN =
  "(?:(?<![\\p{L}\\p{N})\\]%}])(?<![\\p{N})\\]}%] )[-–+](?=[\\\\$€£¥₹\\d.])|(?<=[=:]\\s?)[-–]\\s(?=\\d)|(?<!\\p{L})(?:minus|negative)\\s+)";
const CURRENCY = "(?:(?:US|CA|AU|HK|NZ|[CAR])?\\\\?[$€£¥₹₽₩]|(?:Rs\\.?|USD|EUR|GBP|RM)(?=\\s?\\d))";
const NUMBER = "\\d[\\d,]*(?:\\.\\d+)?";
const KINDS = [
  `(?:\\d+\\s*)?\\\\[dtc]?frac\\s*(?:\\{\\s*-?${NUMBER}\\s*\\}\\s*\\{\\s*${NUMBER}\\s*\\}|\\d\\s*\\d)`,
  "\\d+(?:\\s+and)?\\s+\\d{1,3}\\s?/\\s?\\d{1,3}(?![\\d/])",
  "\\d+(?:\\.\\d+)?\\s*(?:\\\\times|\\\\cdot|[x×*])\\s*10\\s*\\^\\s*\\{?-?\\d{1,3}\\}?",
  "\\d{1,2}:\\d{2}(?!\\d)(?:\\s?[ap]\\.?m\\b)?",
  `(?:\\d+(?:\\.\\d+)?)\\s?/\\s?\\d+(?:\\.\\d+)?(?![\\d/])`,
  "[1-9]\\d{0,2}(?:,\\d{2,3})*,\\d{3}(?!\\d)(?:\\.\\d+)?",
  "[1-9]\\d{0,2}(?:[ ']\\d{3})+(?!\\d)(?:[.,]\\d+)?",
  "[1-9]\\d{0,2}(?:\\.\\d{3})+(?!\\d)(?:,\\d+)?",
  "\\d+,\\d+",
  "\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d{1,3}(?!\\d))?",
  "(?<!\\.)\\.\\d+",
];
const SCALE =
  "(?:\\s?(?:(?:million|billion|trillion|thousand|hundred|dozens?)(?!\\p{L})|[kK](?![\\p{L}\\d]))|\\s?[万萬億亿千][\\d万萬億亿千]*)";
const TOKEN = new RegExp(
  `(?<![\\p{Script=Latin}_^\\d])(?<!\\d[.,]|sqrt\\{|[\\^_]\\{)(?<sign>${SIGN})?(?<currency>${CURRENCY}\\s?)?(?<inner>-(?=[\\d.]))?` +
    `(?<core>${KINDS.map((kind) => `(?:${kind})`).join("|")})(?<scale>${SCALE})?`,
  "gu",
);

/** The first part of a formula: 2\\sqrt{3}, 2^5. But 24^{th} and 90^\\circ are numbers. */
const GOES_ON =
  /^\s?(?:\^(?!\s?\{?\s?(?:\\|th|st|nd|rd))|\\(?:sqrt|pi|binom)|[√π⁻⁰¹²³⁴-⁹])|^!(?!\s*$|["*)']|\s+[^a-z=+*/×÷·\s-])/;

export interface TokenOptions {
  /** The text is in a language that writes 1.234,5 where English writes 1,234.5. */
  readonly decimalComma?: boolean;
  /** The question: where it speaks of millions or dozens, an answer may count them. */
  readonly question?: string;
}

/** Every number of a short text in plain characters, in order. Digits inside a word, as in H2O, are none. */
export function numbersIn(text: string, { decimalComma = false, question = "" }: TokenOptions = {}): NumberToken[] {
  const tokens: NumberToken[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const { sign, currency, inner, core = "", scale = "" } = match.groups ?? {};
    const isNegative = inner !== undefined || (sign !== undefined && !sign.startsWith("+"));
    const [written] = match;
    const [start, end] = [match.index, match.index + written.length];
    const isWhole = !GOES_ON.test(text.slice(end, end + 12));
    const values = isWhole ? valuesOf({ core, scale: scale.trim(), isNegative, decimalComma, question }) : [];
    tokens.push({ text: written.trim(), start, end, values, hasCurrency: currency !== undefined });
  }
  return tokens;
}
