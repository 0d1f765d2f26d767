import {
  computeExactValue,
  divideRationals,
  multiplyRationals,
  negateRational,
  parseDecimal,
  type Rational,
} from "./arithmetic.js";

/** A number as written in a text. */
export interface NumberToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /**
   * Possible values, likeliest first: "1.234" exceeds a thousand where a comma marks decimals. Empty for a
   * number that is only part of a formula.
   */
  readonly values: readonly Rational[];
  readonly hasCurrency: boolean;
}

// A sign belongs to the number unless it follows another number, where it subtracts or marks a range.
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

/** The start of a formula: 2\\sqrt{3}, 2^5. But 24^{th} and 90^\\circ are numbers. */
const GOES_ON =
  /^\s?(?:\^(?!\s?\{?\s?(?:\\|th|st|nd|rd))|\\(?:sqrt|pi|binom)|[√π⁻⁰¹²³⁴-⁹])|^!(?!\s*$|["*)']|\s+[^a-z=+*/×÷·\s-])/;

export interface TokenOptions {
  /** The text is in a language that writes 1.234,5 for 1,234.5. */
  readonly decimalComma?: boolean;
  /** If the question mentions millions or dozens, an answer may count in them. */
  readonly question?: string;
}

/** Finds every number of a short plain text, in order. Digits inside a word, as in H2O, do not count. */
export function findNumbers(text: string, { decimalComma = false, question = "" }: TokenOptions = {}): NumberToken[] {
  const tokens: NumberToken[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const { sign, currency, inner, core = "", scale = "" } = match.groups ?? {};
    const isNegative = inner !== undefined || (sign !== undefined && !sign.startsWith("+"));
    const [written] = match;
    const [start, end] = [match.index, match.index + written.length];
    const isWhole = !GOES_ON.test(text.slice(end, end + 12));
    const values = isWhole ? listNumberValues({ core, scale: scale.trim(), isNegative, decimalComma, question }) : [];
    tokens.push({ text: written.trim(), start, end, values, hasCurrency: currency !== undefined });
  }
  return tokens;
}

const SMALL = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen"
).split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SCALES = new Map([
  ["thousand", 1_000],
  ["million", 1_000_000],
  ["billion", 1_000_000_000],
]);
const WORDS = new Map([
  ...SMALL.map((word, value) => [word, value] as const),
  ...TENS.map((word, index) => [word, (index + 2) * 10] as const),
]);
const SKIPPED = new Set(["and", "a"]);
const MAX_WORDS = 12;

/** "One of them" and "one can see" are not numbers. */
const PRONOUN = /^one (?:of|that|which|who|can|could|may|must|should)$/;
const DENOMINATORS = new Map([
  ...["half", "halves"].map((word) => [word, 2] as const),
  ...["quarter", "quarters"].map((word) => [word, 4] as const),
  ..."third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .flatMap((word, index) => [word, `${word}s`].map((form) => [form, index + 3] as const)),
]);
/** Other denominators, "one twentieth", which are not supported. */
const OTHER_DENOMINATOR = /(?:teen|elf|tie|hundred|thousand|million)ths?$/;

/**
 * The number a text begins with in English or Chinese words, such as "twenty-four clips", "minus five", "two thirds" or
 * "二百五十"; null if it begins otherwise.
 */
export function parseWordedNumber(text: string): Rational | null {
  const chinese = CHINESE.exec(text)?.[0];
  if (chinese !== undefined) return readChineseNumber(chinese);
  const words =
    text
      .slice(0, 160)
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.slice(0, MAX_WORDS) ?? [];
  const isNegative = words[0] === "minus" || words[0] === "negative";
  if (isNegative) words.shift();
  if (PRONOUN.test(words.slice(0, 2).join(" "))) return null;
  const value = readNumberWords(words);
  return value === null || !isNegative ? value : { top: -value.top, bottom: value.bottom };
}

const CHINESE_DIGITS = "零一二三四五六七八九";
const CHINESE_UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
const CHINESE_SCALES: Readonly<Record<string, number>> = { 万: 1e4, 亿: 1e8 };
/** A single character may begin a word, as in 三角形: at most a counter word may follow it. */
const CHINESE = /^[零一二两三四五六七八九十百千万亿]{2,20}|^[零一二两三四五六七八九十](?!\p{sc=Han}{2})/u;

function readChineseNumber(signs: string): Rational {
  let [total, section, digit] = [0, 0, 0];
  for (const sign of signs.replaceAll("两", "二")) {
    const [unit, scale] = [CHINESE_UNITS[sign], CHINESE_SCALES[sign]];
    if (unit !== undefined) [section, digit] = [section + (digit || 1) * unit, 0];
    else if (scale !== undefined) [total, section, digit] = [(total + section + digit) * scale, 0, 0];
    else digit = CHINESE_DIGITS.indexOf(sign);
  }
  return { top: BigInt(total + section + digit), bottom: 1n };
}

function readNumberWords(words: readonly string[]): Rational | null {
  let total = 0;
  let part: number | null = null;
  for (const [at, word] of words.entries()) {
    const value = WORDS.get(word);
    const scale = SCALES.get(word);
    if (value !== undefined) part = (part ?? 0) + value;
    else if (word === "hundred") part = (part ?? 1) * 100;
    else if (scale !== undefined) {
      total += (part ?? 1) * scale;
      part = 0;
    } else if (part !== null && (DENOMINATORS.has(word) || OTHER_DENOMINATOR.test(word))) {
      return readWordedFraction(words.slice(0, at), total + part, DENOMINATORS.get(word));
    } else if (part === null || !SKIPPED.has(word)) break;
  }
  return part === null ? null : { top: BigInt(total + part), bottom: 1n };
}

/** "Two thirds", and "three and a half". "Two and three quarters" is ambiguous. */
function readWordedFraction(
  before: readonly string[],
  number: number,
  denominator: number | undefined,
): Rational | null {
  if (denominator === undefined) return null;
  const [whole, bottom] = [BigInt(number), BigInt(denominator)];
  const isMixed = before.slice(-2).join(" ") === "and a";
  if (!isMixed && before.some((word) => SKIPPED.has(word))) return null;
  return divideRationals({ top: isMixed ? whole * bottom + 1n : whole, bottom: 1n }, { top: bottom, bottom: 1n });
}

const NUMBER_WORD = [...WORDS.keys(), ...SCALES.keys(), "hundred"].join("|");
const WORDED = new RegExp(`\\b(?:${NUMBER_WORD})(?:(?:-| and |,? )(?:${NUMBER_WORD}|half|third|quarter)s?)*\\b`, "gi");
const MAX_SENTENCE = 200;

/** The only number of a sentence in words, "He has five apples left"; null if there are none, several or just "one". */
export function findOnlyWordedNumber(sentence: string): Rational | null {
  if (sentence.length > MAX_SENTENCE || /\d/.test(sentence)) return null;
  const [number, another] = sentence.match(WORDED) ?? [];
  return number === undefined || another !== undefined || /^one$/i.test(number) ? null : parseWordedNumber(number);
}

const SHORT = 60;
const OTHER_THAN_NUMBER = /\d|\b(?:point|or|to|and(?! an?\b))\b|[+*=^/]/i;

/** The number of a short phrase in words, "seven" or `\text{twenty-four clips}`. */
export function parseWordedPhrase(phrase: string): Rational | null {
  if (phrase.length > 2 * SHORT) return null;
  const words = phrase.replace(/\\(?:text|textbf|textrm|mathrm|mbox)\s?\{([^{}]*)\}/g, "$1").trim();
  return words.length > SHORT || OTHER_THAN_NUMBER.test(words) ? null : parseWordedNumber(words);
}

interface NumberParts {
  readonly core: string;
  /** "million", "dozen", "k", "万" or similar; may be "". */
  readonly scale: string;
  readonly isNegative: boolean;
  readonly decimalComma: boolean;
  /** May be "". */
  readonly question: string;
}

/** The possible values, likeliest first. Empty for an unreadable number, such as the time 3:30. */
function listNumberValues({ core, scale, isNegative, decimalComma, question }: NumberParts): Rational[] {
  const values = listNumberReadings(core, decimalComma).flatMap((value) =>
    applyScale(value, scale.toLowerCase(), question),
  );
  return isNegative ? values.map(negateRational) : values;
}

function listNumberReadings(core: string, decimalComma: boolean): Rational[] {
  if (core.includes("frac") || core.includes("/")) return listIfPresent(parseWrittenFraction(core));
  if (/[x×*^\\]/.test(core)) return listIfPresent(computeExactValue(toScientific(core)));
  if (core.includes(":")) return parseFullHour(core);
  if (/^\d+(?:\.\d+)?(?:[eE].*)?$|^\.\d+$/.test(core)) return listPointReadings(core, decimalComma);
  return listSeparatedReadings(core, decimalComma);
}

function parseWrittenFraction(core: string): Rational | null {
  const plain = core.replace(/,/g, "").replace(/\\[dtc]frac/, "\\frac");
  const braced = plain.replace(/frac\s*(\d)\s*(\d)$/, "frac{$1}{$2}");
  const mixed = braced.replace(/^(\d+)(?:\s+and)?\s+(\d+)\s?\/\s?(\d+)$/, "$1\\frac{$2}{$3}");
  return computeExactValue(mixed.replace(/\s/g, ""));
}

function toScientific(core: string): string {
  return core
    .replace(/\\times|\\cdot|[x×]/, "*")
    .replace(/\s/g, "")
    .replace(/\^(-\d+)$/, "^{$1}");
}

/** A time is a number only on the hour: 8:00 answers "at what hour?". */
function parseFullHour(core: string): Rational[] {
  const [, hour, minutes] = /^(\d+):(\d+)/.exec(core) ?? [];
  return minutes === "00" && hour !== undefined ? listIfPresent(parseDecimal(hour)) : [];
}

function listPointReadings(core: string, decimalComma: boolean): Rational[] {
  const asDecimal = listIfPresent(parseDecimal(core));
  return decimalComma && /^[1-9]\d{0,2}\.\d{3}$/.test(core) ? [...asDecimal, ...parseThousands(core)] : asDecimal;
}

/** Numbers with commas, spaces or several points. */
function listSeparatedReadings(core: string, decimalComma: boolean): Rational[] {
  if (/^[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/.test(core))
    return listIfPresent(parseDecimal(core.replace(/\./g, "").replace(",", ".")));
  if (/^\d+,\d+$/.test(core) && !/^[1-9]\d{0,2},\d{3}$/.test(core)) return parseCommaDecimal(core);
  if (/^[1-9][\d' ]*,\d{1,2}$/.test(core))
    return listIfPresent(parseDecimal(core.replace(/[' ]/g, "").replace(",", ".")));
  if (core.includes(" "))
    return [...parseThousands(core), ...listIfPresent(parseDecimal(core.slice(core.lastIndexOf(" ") + 1)))];
  return decimalComma && /^\d+,\d+$/.test(core)
    ? [...parseThousands(core), ...parseCommaDecimal(core)]
    : parseThousands(core);
}

function parseThousands(core: string): Rational[] {
  const point =
    /^[\d,' ]*\.\d+$/.test(core) && /[,' ]/.test(core) ? core.replace(/[,' ]/g, "") : core.replace(/[,.' ]/g, "");
  return listIfPresent(parseDecimal(point));
}

function parseCommaDecimal(core: string): Rational[] {
  return listIfPresent(parseDecimal(core.replace(",", ".")));
}

const VALUE_SCALES: Record<string, string> = {
  dozen: "12",
  dozens: "12",
  hundred: "1e2",
  thousand: "1e3",
  k: "1e3",
  million: "1e6",
  billion: "1e9",
  trillion: "1e12",
};

/** "24 million" is also read as 24 if the question mentions millions. "25k" is always 25,000. */
function applyScale(value: Rational, scale: string, question: string): Rational[] {
  if (scale === "") return [value];
  const factor = VALUE_SCALES[scale];
  if (factor === undefined) return listIfPresent(applyEastAsianScale(value, scale));
  const whole = listIfPresent(multiplyByFactor(value, factor));
  const isAskedFor = scale.length > 1 && question.toLowerCase().includes(scale.replace(/s$/, ""));
  return isAskedFor ? [...whole, value] : whole;
}

const EAST_ASIAN: Record<string, string> = { 千: "1e3", 万: "1e4", 萬: "1e4", 億: "1e8", 亿: "1e8" };

/** 3万5000 is 35,000: each character multiplies what precedes it, and all is added up. */
function applyEastAsianScale(first: Rational, scale: string): Rational | null {
  let total = 0n;
  let part: bigint | null = null;
  for (const piece of scale.match(/\d+|\D/g) ?? []) {
    const factor = EAST_ASIAN[piece];
    if (factor === undefined) part = BigInt(piece);
    else if (total === 0n && part === null) {
      const whole = multiplyByFactor(first, factor);
      if (whole === null || whole.bottom !== 1n) return whole;
      total = whole.top;
    } else {
      total += (part ?? 1n) * (parseDecimal(factor)?.top ?? 1n);
      part = null;
    }
  }
  return { top: total + (part ?? 0n), bottom: 1n };
}

function multiplyByFactor(value: Rational, factor: string): Rational | null {
  const by = parseDecimal(factor);
  return by === null ? null : multiplyRationals(value, by);
}

function listIfPresent(value: Rational | null): Rational[] {
  return value === null ? [] : [value];
}
