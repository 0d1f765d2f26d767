import type { Rational } from "./rational.js";

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

/** The number a text begins with in English words, such as "twenty-four clips"; null when it begins otherwise. */
export function wordedNumber(text: string): Rational | null {
  const words =
    text
      .slice(0, 160)
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.slice(0, MAX_WORDS) ?? [];
  let total = 0;
  let part: number | null = null;
  for (const word of words) {
    const value = WORDS.get(word);
    const scale = SCALES.get(word);
    if (value !== undefined) part = (part ?? 0) + value;
    else if (word === "hundred") part = (part ?? 1) * 100;
    else if (scale !== undefined) {
      total += (part ?? 1) * scale;
      part = 0;
    } else if (part === null || !SKIPPED.has(word)) break;
  }
  return part === null ? null : { top: BigInt(total + part), bottom: 1n };
}

const SHORT = 60;
const OTHER_THAN_WHOLE = /\d|\b(?:hal(?:f|ves)|quarters?|\w+(?:th|rd|nd)s?|point|or|to|and)\b|[+*=^/]/i;

/** The number of a short phrase that says it in words, "seven" or `\text{twenty-four clips}`; none for one half. */
export function wordedPhrase(phrase: string): Rational | null {
  if (phrase.length > 2 * SHORT) return null;
  const words = phrase.replace(/\\(?:text|textbf|textrm|mathrm|mbox)\s?\{([^{}]*)\}/g, "$1").trim();
  return words.length > SHORT || OTHER_THAN_WHOLE.test(words) ? null : wordedNumber(words);
}
