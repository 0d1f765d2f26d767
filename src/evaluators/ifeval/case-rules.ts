import { compares } from "./arguments.js";
import { isLower, isSpaceAt, isUpper, SPACE, splitWords, WORD } from "./python-text.js";
import type { Follows, Rules } from "./rule.js";
import { sentenceSpans } from "./sentences.js";

/** The languages that the detector knows, by its codes. */
const LANGUAGES = new Set(
  "af ar bg bn cs da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw".split(
    " ",
  ),
);

/** The ids whose rules ask for the language of a response. */
export const LANGUAGE_IDS: ReadonlySet<string> = new Set([
  "language:response_language",
  "change_case:english_capital",
  "change_case:english_lowercase",
]);

/** The rules about capitals, commas and the language of a response. */
export const CASE_RULES: Rules = {
  "language:response_language": (given) => isIn(given.oneOf("language", LANGUAGES)),
  "change_case:english_capital": () => (response, detect) => isUpper(response) && isIn("en")(response, detect),
  "change_case:english_lowercase": () => (response, detect) => isLower(response) && isIn("en")(response, detect),
  "change_case:capital_word_frequency": (given) => {
    const relation = given.relation("capital_relation");
    const wanted = given.count("capital_frequency");
    return (response) => compares(countCapitalWords(response), relation, wanted);
  },
  "punctuation:no_comma": () => (response) => !response.includes(","),
};

/** A response without letters counts as followed: the official grader gives it the benefit of the doubt. */
function isIn(language: string): Follows {
  return (response, detect) => {
    const found = detect(response);
    return found === null || found === language;
  };
}

const HAS_CAPITAL = /\p{Uppercase}/u;
const FINAL_CLOSERS = "])}>\"'»”’ ";

/** Puts spaces where the official grader's tokeniser (NLTK 3.8, Penn Treebank) parts words; the order matters. */
const BEFORE_FINAL_PERIOD: readonly (readonly [RegExp, string])[] = [
  [/[«“‘„]|`+/g, " $& "],
  [/^"/, " `` "],
  [/([ ([{<])("|'')/g, "$1 `` "],
  // A letter that stands alone after an apostrophe, unless it is a shortened word: "'a" but not "'s".
  [new RegExp(`'(?!re|ve|ll|[mtsdn])(?=[${WORD}](?![${WORD}]))`, "giu"), "' "],
];

const AFTER_FINAL_PERIOD: readonly (readonly [RegExp, string])[] = [
  [/[:,](?=\P{Nd})/gu, " $& "],
  [/[:,]$/, " $& "],
  [/\.{2,}/g, " $& "],
  [/[;@#$%&?!]/g, " $& "],
  [/(?<!')' /g, " ' "],
  [/[*\][(){}<>]/g, " $& "],
  [/--/g, " -- "],
];

/** Shortened words and pairs that are written as one; they are looked for between spaces. */
const PARTED: readonly (readonly [RegExp, string])[] = [
  [/[»”’]|''|"/g, " $& "],
  [/([^' ])('[sSmMdD]|') /g, "$1 $2 "],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /g, "$1 $2 "],
  [whole("can|not"), " $1 $2 "],
  [whole("d|'ye"), " $1 $2 "],
  [whole("gim|me"), " $1 $2 "],
  [whole("gon|na"), " $1 $2 "],
  [whole("got|ta"), " $1 $2 "],
  [whole("lem|me"), " $1 $2 "],
  [whole("more|'n"), " $1 $2 "],
  [new RegExp(`(?<![${WORD}])(wan)(na)(?=[${SPACE}])`, "giu"), " $1 $2 "],
  [new RegExp(` ('t)(is|was)(?![${WORD}])`, "giu"), " $1 $2 "],
];

/** How many words are all in capitals. A word with a hyphen is one, "CAN'T" and "CANNOT" are two. */
export function countCapitalWords(text: string): number {
  let count = 0;
  for (const [start, end] of sentenceSpans(text)) {
    const sentence = text.slice(start, end);
    if (HAS_CAPITAL.test(sentence)) count += words(sentence).filter(isUpper).length;
  }
  return count;
}

/** The words and signs of one sentence. */
function words(sentence: string): string[] {
  const opened = replaceAll(sentence, BEFORE_FINAL_PERIOD);
  const parted = replaceAll(withFinalPeriodApart(opened), AFTER_FINAL_PERIOD);
  return splitWords(replaceAll(` ${parted} `, PARTED));
}

function replaceAll(text: string, steps: readonly (readonly [RegExp, string])[]): string {
  return steps.reduce((parted, [pattern, replacement]) => parted.replace(pattern, replacement), text);
}

/** Parts the period from the last word; only closing signs and white space may follow it. */
function withFinalPeriodApart(sentence: string): string {
  let place = sentence.length - 1;
  while (place > 0 && isSpaceAt(sentence, place)) place -= 1;
  while (place > 0 && FINAL_CLOSERS.includes(sentence.charAt(place))) place -= 1;
  const isFinal = place > 0 && sentence[place] === "." && sentence[place - 1] !== ".";
  return isFinal ? `${sentence.slice(0, place)} . ${sentence.slice(place + 1)} ` : sentence;
}

/** A pattern for a word of two parts that may have any case. */
function whole(parts: string): RegExp {
  const [first, second] = parts.split("|");
  return new RegExp(`(?<![${WORD}])(${first})(${second})(?![${WORD}])`, "giu");
}
