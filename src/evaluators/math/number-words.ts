import { divide, type Rational } from "./rational.js";

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

/** "One of them" and "one can see" are no numbers. */
const PRONOUN = /^one (?:of|that|which|who|can|could|may|must|should)$/;
const DENOMINATORS = new Map([
  ...["half", "halves"].map((word) => [word, 2] as const),
  ...["quarter", "quarters"].map((word) => [word, 4] as const),
  ..."third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .flatMap((word, index) => [word, `${word}s`].map((form) => [form, index + 3] as const)),
]);
/** Other denominators, "one twentieth", which are not read. */
const OTHER_DENOMINATOR = /(?:teen|elf|tie|hundred|thousand|million)ths?$/;

/**
 * The number a text begins with in English or Chinese words, such as "twenty-four clips", "minus five", "two thirds" or
 * "二百五十"; null when it begins otherwise.
 */
export function wordedNumber(text: string): Rational | null {
  const chinese = CHINESE.exec(text)?.[0];
  if (chinese !== undefined) return readChinese(chinese);
  const words =
    text
      .slice(0, 160)
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.slice(0, MAX_WORDS) ?? [];
  const isNegative = words[0] === "minus" || words[0] === "negative";
  if (isNegative) words.shift();
  if (PRONOUN.test(words.slice(0, 2).join(" "))) return null;
  const value = readWords(words);
  return value === null || !isNegative ? value : { top: -value.top, bottom: value.bottom };
}

const CHINESE_DIGITS = "零一二三四五六七八九";
const CHINESE_UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
const CHINESE_SCALES: Readonly<Record<string, number>> = { 万: 1e4, 亿: 1e8 };
/** A single sign may begin a word, as in 三角形: at most what is counted may follow it. */
const CHINESE = /^[零一二两三四五六七八九十百千万亿]{2,20}|^[零一二两三四五六七八九十](?!\p{sc=Han}{2})/u;

function readChinese(signs: string): Rational {
  let [total, section, digit] = [0, 0, 0];
  for (const sign of signs.replaceAll("两", "二")) {
    const [unit, scale] = [CHINESE_UNITS[sign], CHINESE_SCALES[sign]];
    if (unit !== undefined) [section, digit] = [section + (digit || 1) * unit, 0];
    else if (scale !== undefined) [total, section, digit] = [(total + section + digit) * scale, 0, 0];
    else digit = CHINESE_DIGITS.indexOf(sign);
  }
  return { top: BigInt(total + section + digit), bottom: 1n };
}

function readWords(words: readonly string[]): Rational | null {
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
      return readFraction(words.slice(0, at), total + part, DENOMINATORS.get(word));
    } else if (part === null || !SKIPPED.has(word)) break;
  }
  return part === null ? null : { top: BigInt(total + part), bottom: 1n };
}

/** "Two thirds", and "three and a half"; in "two and three quarters" the words do not tell the parts apart. */
function readFraction(before: readonly string[], number: number, denominator: number | undefined): Rational | null {
  if (denominator === undefined) return null;
  const [whole, bottom] = [BigInt(number), BigInt(denominator)];
  const isMixed = before.slice(-2).join(" ") === "and a";
  if (!isMixed && before.some((word) => SKIPPED.has(word))) return null;
  return divide({ top: isMixed ? whole * bottom + 1n : whole, bottom: 1n }, { top: bottom, bottom: 1n });
}

const NUMBER_WORD = [...WORDS.keys(), ...SCALES.keys(), "hundred"].join("|");
const WORDED = new RegExp(`\\b(?:${NUMBER_WORD})(?:(?:-| and |,? )(?:${NUMBER_WORD}|half|third|quarter)s?)*\\b`, "gi");
const MAX_SENTENCE = 200;

/** The one number of a sentence in words, "He has five apples left"; null when there are none, several or a mere "one". */
export function onlyWordedNumber(sentence: string): Rational | null {
  if (sentence.length > MAX_SENTENCE || /\d/.test(sentence)) return null;
  const [number, another] = sentence.match(WORDED) ?? [];
  return number === undefined || another !== undefined || /^one$/i.test(number) ? null : wordedNumber(number);
}

const SHORT = 60;
const OTHER_THAN_NUMBER = /\d|\b(?:point|or|to|and(?! an?\b))\b|[+*=^/]/i;

/** The number of a short phrase that says it in words, "seven" or `\text{twenty-four clips}`. */
export function wordedPhrase(phrase: string): Rational | null {
  if (phrase.length > 2 * SHORT) return null;
  const words = phrase.replace(/\\(?:text|textbf|textrm|mathrm|mbox)\s?\{([^{}]*)\}/g, "$1").trim();
  return words.length > SHORT || OTHER_THAN_NUMBER.test(words) ? null : wordedNumber(words);
}
