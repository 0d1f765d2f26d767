import { isBlank, SPACE } from "./python-text.js";
import { englishModel, NUMBER } from "./sentence-model.js";

/** The inside of a character class: what ends a word, besides white space. */
const WORD_END = ")\";}\\]*:@'({[?!";
/** Dashes and dots in a row, which are one token. */
const ROW = `(?:-{2,}|\\.{2,}|(?:\\.[${SPACE}]){2,}\\.)`;
const NO_SPACE = `[^${SPACE}]`;
const AFTER_WORD = `(?:[${SPACE}]|$|[${WORD_END}]|${ROW})`;
const TOKENS = new RegExp(
  `${ROW}|(?![("\`{[:;&#*@)}\\]\\-,])${NO_SPACE}+?(?=${AFTER_WORD}|,${AFTER_WORD})|${NO_SPACE}`,
  "gu",
);
const NUMERIC = /^-?[.,]?\p{Nd}[\p{Nd},.-]*$/u;
const INITIAL = /^(?!\p{Nd})[\p{L}\p{N}_]\.$/u;
const STARTS_UPPER = /^\p{Uppercase}/u;
const STARTS_LOWER = /^\p{Lowercase}/u;

interface Token {
  readonly text: string;
  /** The text in small letters; all numbers are one type. */
  readonly type: string;
  isBreak: boolean;
  readonly isAbbreviation: boolean;
  readonly isEllipsis: boolean;
}

/** Whether a sentence ends inside this piece of text: one or two words with a period, a question or exclamation mark. */
export function hasSentenceEnd(piece: string): boolean {
  const tokens = piece.split("\n").flatMap((line) => (isBlank(line) ? [] : (line.match(TOKENS) ?? []).map(tokenOf)));
  return tokens.some((token, place) => {
    const next = tokens[place + 1];
    return next !== undefined && endsSentence(token, next);
  });
}

/** What the token is by itself, whatever follows it. */
function tokenOf(text: string): Token {
  const small = text.toLowerCase();
  const isEllipsis = /^\.\.+$/.test(text);
  const isWordWithPeriod = text.length > 1 && text.endsWith(".") && !text.endsWith("..");
  const isAbbreviation = isWordWithPeriod && isKnownAbbreviation(small.slice(0, -1));
  return {
    text,
    type: NUMERIC.test(small) ? NUMBER : small,
    isBreak: text === "." || text === "?" || text === "!" || (isWordWithPeriod && !isAbbreviation),
    isAbbreviation,
    isEllipsis,
  };
}

function isKnownAbbreviation(word: string): boolean {
  const { abbreviations } = englishModel();
  return abbreviations.has(word) || abbreviations.has(word.slice(word.lastIndexOf("-") + 1));
}

/** What the token is in view of the one that follows it. */
function endsSentence(token: Token, next: Token): boolean {
  if (!token.text.endsWith(".")) return token.isBreak;
  const { pairs, starters, small } = englishModel();
  const type = token.type.length > 1 && token.type.endsWith(".") ? token.type.slice(0, -1) : token.type;
  const nextType = typeInside(next);
  if (pairs.has(`${type},${nextType}`)) return false;
  const isInitial = INITIAL.test(token.text);
  const starts = startsSentence(next, nextType);
  if ((token.isAbbreviation || token.isEllipsis) && !isInitial) {
    if (starts === "yes" || (STARTS_UPPER.test(next.text) && starters.has(nextType))) return true;
  }
  if (!isInitial && type !== NUMBER) return token.isBreak;
  if (starts === "no") return false;
  const isName = isInitial && starts === "unknown" && STARTS_UPPER.test(next.text) && !small.has(nextType);
  return isName ? false : token.isBreak;
}

/** The type without the period, when that ends the sentence rather than an abbreviation. */
function typeInside({ type, isBreak }: Token): string {
  return isBreak && type.length > 1 && type.endsWith(".") ? type.slice(0, -1) : type;
}

/** Whether a token looks like the first of a sentence, by its first letter and by how the word is written elsewhere. */
function startsSentence({ text }: Token, type: string): "yes" | "no" | "unknown" {
  if (text.length === 1 && ";:,.!?".includes(text)) return "no";
  const { small, smallStarters } = englishModel();
  if (STARTS_UPPER.test(text) && small.get(type) === false) return "yes";
  return STARTS_LOWER.test(text) && !smallStarters.has(type) ? "no" : "unknown";
}
