import { cleaned } from "./clean.js";

const LEADING = /^(?:option |choice |letter )?(?:[([{]\s?([a-z])\s?[)\]}]|([a-z])(?:[.):]|\s?$))/i;
const LEADING_CAPITAL = /^(?:[Oo]ption |[Cc]hoice |[Ll]etter )?([B-HJ-Z])(?![\w'’])/;
const BRACKETED = /\(([A-Z])\)/g;
/** "(A) or (B)"; but not "(B), and (A) is wrong". */
const ANOTHER =
  /^[)\]}.*\s]{0,3}[,;]?\s?(?:\bor\b|\band\b|\band\/or\b|\/|&)\s?(?:either )?(?:option |choice )?(?:[([{][A-Z][)\]}]|[B-HJ-Z](?![\w'’]))(?!\s?(?:is|are|was|would|does|do|can|cannot|has|have|isn|wouldn|doesn)\b)/;
/** Far enough for an answer that begins on a line of its own. */
const LONGEST = 2000;

/** What an answer names when it names several options. */
const SEVERAL = "several";

/**
 * The letter of the option that an announced answer names: its first letter in brackets, wherever it stands. Null when
 * it names none, and `SEVERAL` when it leaves the choice open.
 * @example
 * announcedOption("(B) 12/25/1937.", "(B) 12/25/1937."); // "B"
 */
export function announcedOption(rest: string, line: string): string | null {
  return leadingOption(line) ?? firstBracketed(line) ?? firstBracketed(rest.slice(0, LONGEST));
}

/** The letter of the option that a line is about; none when it names several. */
export function optionOfLine(line: string): string | null {
  const named = new Set(Array.from(line.matchAll(BRACKETED), (match) => match[1]));
  return leadingOption(line) ?? (named.size === 1 ? ([...named][0] ?? null) : null);
}

function leadingOption(line: string): string | null {
  const text = cleaned(line.replaceAll(/\*\*|`/g, ""));
  return letterOf(text, LEADING.exec(text) ?? LEADING_CAPITAL.exec(text));
}

function firstBracketed(text: string): string | null {
  return letterOf(text, new RegExp(BRACKETED).exec(text));
}

function letterOf(text: string, match: RegExpExecArray | null): string | null {
  if (match === null) return null;
  const after = match.index + match[0].length;
  return ANOTHER.test(text.slice(after, after + 40)) ? SEVERAL : (match[1] ?? match[2] ?? "").toUpperCase();
}
