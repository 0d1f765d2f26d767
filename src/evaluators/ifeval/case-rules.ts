import type { InstructionCheck, InstructionRules } from "./arguments.js";
import { hasRelation } from "./arguments.js";
import { isLower, isSpaceAt, isUpper, SPACE, splitPythonWords, WORD } from "./python-text.js";
import { findSentences } from "./sentences.js";

/** Codes of the languages that the detector knows. */
const LANGUAGES = new Set(
  "af ar bg bn cs da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw".split(
    " ",
  ),
);

/** Instructions that depend on the language of a response. */
export const LANGUAGE_IDS: ReadonlySet<string> = new Set([
  "language:response_language",
  "change_case:english_capital",
  "change_case:english_lowercase",
]);

/** Rules about capitals, commas and language. */
export const CASE_RULES: InstructionRules = {
  "language:response_language": (given) => createLanguageRule(given.readOneOf("language", LANGUAGES)),
  "change_case:english_capital": () => (response, detect) =>
    isUpper(response) && createLanguageRule("en")(response, detect),
  "change_case:english_lowercase": () => (response, detect) =>
    isLower(response) && createLanguageRule("en")(response, detect),
  "change_case:capital_word_frequency": (given) => {
    const relation = given.readRelation("capital_relation");
    const wanted = given.readCount("capital_frequency");
    return (response) => hasRelation(countCapitalWords(response), relation, wanted);
  },
  "punctuation:no_comma": () => (response) => !response.includes(","),
};

/** A response without letters passes, as in the official grader. */
function createLanguageRule(language: string): InstructionCheck {
  return (response, detect) => {
    const found = detect(response);
    return found === null || found === language;
  };
}

const HAS_CAPITAL = /\p{Uppercase}/u;
const FINAL_CLOSERS = "])}>\"'»”’ ";

/** Inserts spaces where the official grader's tokenizer (NLTK 3.8, Penn Treebank) splits words; the order matters. */
const BEFORE_FINAL_PERIOD: readonly (readonly [RegExp, string])[] = [
  [/[«“‘„]|`+/g, " $& "],
  [/^"/, " `` "],
  [/([ ([{<])("|'')/g, "$1 `` "],
  // A single letter after an apostrophe, unless it is a contraction: "'a" but not "'s".
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

/** Contractions and merged words, matched between spaces. */
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/[»”’]|''|"/g, " $& "],
  [/([^' ])('[sSmMdD]|') /g, "$1 $2 "],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /g, "$1 $2 "],
  [createWordPattern("can|not"), " $1 $2 "],
  [createWordPattern("d|'ye"), " $1 $2 "],
  [createWordPattern("gim|me"), " $1 $2 "],
  [createWordPattern("gon|na"), " $1 $2 "],
  [createWordPattern("got|ta"), " $1 $2 "],
  [createWordPattern("lem|me"), " $1 $2 "],
  [createWordPattern("more|'n"), " $1 $2 "],
  [new RegExp(`(?<![${WORD}])(wan)(na)(?=[${SPACE}])`, "giu"), " $1 $2 "],
  [new RegExp(` ('t)(is|was)(?![${WORD}])`, "giu"), " $1 $2 "],
];

/** Counts words in capitals. A hyphenated word is one, "CAN'T" and "CANNOT" are two. */
export function countCapitalWords(text: string): number {
  let count = 0;
  for (const [start, end] of findSentences(text)) {
    const sentence = text.slice(start, end);
    if (HAS_CAPITAL.test(sentence)) count += tokenizeSentence(sentence).filter(isUpper).length;
  }
  return count;
}

function tokenizeSentence(sentence: string): string[] {
  const opened = applyReplacements(sentence, BEFORE_FINAL_PERIOD);
  const parted = applyReplacements(separateFinalPeriod(opened), AFTER_FINAL_PERIOD);
  return splitPythonWords(applyReplacements(` ${parted} `, CONTRACTIONS));
}

function applyReplacements(text: string, steps: readonly (readonly [RegExp, string])[]): string {
  return steps.reduce((parted, [pattern, replacement]) => parted.replace(pattern, replacement), text);
}

/** Only closing marks and white space may follow the period. */
function separateFinalPeriod(sentence: string): string {
  let place = sentence.length - 1;
  while (place > 0 && isSpaceAt(sentence, place)) place -= 1;
  while (place > 0 && FINAL_CLOSERS.includes(sentence.charAt(place))) place -= 1;
  const isFinal = place > 0 && sentence[place] === "." && sentence[place - 1] !== ".";
  return isFinal ? `${sentence.slice(0, place)} . ${sentence.slice(place + 1)} ` : sentence;
}

function createWordPattern(parts: string): RegExp {
  const [first, second] = parts.split("|");
  return new RegExp(`(?<![${WORD}])(${first})(${second})(?![${WORD}])`, "giu");
}
