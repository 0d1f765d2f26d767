import { cleaned } from "./clean.js";

const LEADING = /^(?:option |choice |letter )?(?:[([]\s?([a-z])\s?[)\]]|([a-z])(?:[.):]|\s?$))/i;
const LEADING_CAPITAL = /^(?:[Oo]ption |[Cc]hoice |[Ll]etter )?([B-HJ-Z])(?![\w'’])/;
const BRACKETED = /\(([A-Z])\)/g;
/** Far enough for an answer that begins on a line of its own. */
const LONGEST = 2000;

/**
 * The letter of the option that an announced answer names: its first letter in brackets, wherever it stands.
 * @example
 * announcedOption("(B) 12/25/1937."); // "B"
 */
export function announcedOption(rest: string, line: string): string | null {
  return leadingOption(line) ?? bracketed(line)[0] ?? bracketed(rest.slice(0, LONGEST))[0] ?? null;
}

/** The letter of the option that a line is about; none when it names several. */
export function optionOfLine(line: string): string | null {
  const named = new Set(bracketed(line));
  return leadingOption(line) ?? (named.size === 1 ? ([...named][0] ?? null) : null);
}

function leadingOption(line: string): string | null {
  const text = cleaned(line.replaceAll(/\*\*|`/g, ""));
  const match = LEADING.exec(text) ?? LEADING_CAPITAL.exec(text);
  return (match?.[1] ?? match?.[2])?.toUpperCase() ?? null;
}

function bracketed(text: string): string[] {
  return Array.from(text.matchAll(BRACKETED), (match) => match[1] ?? "");
}
