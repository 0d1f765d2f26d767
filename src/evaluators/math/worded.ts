import { GONE } from "./units.js";

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
const NAMES = /[a-zA-Z]{2,}/g;
/** Functions, constants, and what joins a list. */
const NO_WORD = /^(?:(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?|log|ln|exp|max|min|pi|inf(?:ty|inity)?|and|or)$/;

/** Stands before what was written as words, so that `\text{no}` is not the product of n and o. */
const WORD = "\ue002";
const WORDS = /\ue002/g;

/** An answer without the marks of words. */
export function unmarked(text: string): string {
  return text.includes(WORD) ? text.replace(WORDS, "") : text;
}

/** Words behind a formula name a unit and go; others stay, marked as words. */
export function withoutText(text: string): string {
  if (!text.includes("\\")) return text.replace(ORDINAL, "");
  const whole = WHOLE_TEXT.exec(text)?.[1];
  if (whole !== undefined) return marked(whole.trim().replace(ARTICLE, ""));
  return text
    .replace(ORDINAL, "")
    .replace(AND_TEXT, ", ")
    .replace(TEXT_BEHIND, (_, inner: string) => (isUnit(inner) ? GONE : marked(inner)))
    .replace(ANY_TEXT, (_, inner: string) => marked(inner));
}

const SCALE = /(?<![a-z])(?:dozens?|hundred|thousand|million|billion|trillion)(?![a-z])/i;

/** A number in words' clothing, `\text{24}` or `\text{ million}`, is no unit, nor is the `\mathrm{e}` of a power. */
function isUnit(text: string): boolean {
  return !/\d/.test(text) && !SCALE.test(text) && !SYMBOL_NAMES.has(text);
}

function marked(words: string): string {
  return /\d/.test(words) ? words : words.replace(NAMES, (word) => (NO_WORD.test(word) ? word : `${WORD}${word}`));
}
