/**
 * Python's idea of a word, a space and a capital, since the official grader is in Python. JavaScript differs in
 * `\w`, `\s`, `\b`, `.`, `$`, trim and split, and verdicts depend on the difference.
 */

/** The inside of a character class for Python's `\w`: letters and numbers of all scripts, but no combining marks. */
export const WORD = "\\p{L}\\p{N}_";

/** The inside of a character class for Python's `\s`: unlike JavaScript's, with 1c to 1f and 85, without feff. */
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const WORD_BEFORE = new RegExp(`[${WORD}]$`, "u");
const WORD_AFTER = new RegExp(`^[${WORD}]`, "u");
const SPACES = new RegExp(`[${SPACE}]+`);
const HAS_UPPER = /\p{Uppercase}/u;
const HAS_LOWER = /\p{Lowercase}/u;
const HAS_TITLE = /\p{Lt}/u;

/** White space outside of ASCII. */
const WIDE_SPACES = new Set([
  0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
  0x2029, 0x202f, 0x205f, 0x3000,
]);

export function isSpaceAt(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code < 0x80
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code < 0x20)
    : WIDE_SPACES.has(code);
}

/** Returns the first position that is not white space, or the length of the text. */
export function skipSpaces(text: string, from: number): number {
  let place = from;
  while (place < text.length && isSpaceAt(text, place)) place += 1;
  return place;
}

/** The length without trailing white space. */
export function getTrimmedLength(text: string): number {
  let length = text.length;
  while (length > 0 && isSpaceAt(text, length - 1)) length -= 1;
  return length;
}

export function stripSpaces(text: string): string {
  return text.slice(skipSpaces(text, 0), getTrimmedLength(text));
}

export function stripStart(text: string, character: string): string {
  let start = 0;
  while (text[start] === character) start += 1;
  return text.slice(start);
}

export function stripEnd(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

export function stripCharacter(text: string, character: string): string {
  return stripEnd(stripStart(text, character), character);
}

export function isBlankText(text: string): boolean {
  return skipSpaces(text, 0) === text.length;
}

export function splitPythonWords(text: string): string[] {
  return text.split(SPACES).filter((word) => word !== "");
}

/** Python's `\b`. */
export function isWordBoundary(text: string, place: number): boolean {
  return WORD_BEFORE.test(text.slice(Math.max(0, place - 2), place)) !== WORD_AFTER.test(text.slice(place, place + 2));
}

/** Python's `isupper`: at least one capital and no other cased letter. */
export function isUpper(text: string): boolean {
  return HAS_UPPER.test(text) && !HAS_LOWER.test(text) && !HAS_TITLE.test(text);
}

/** Python's `islower`: at least one small letter and no other cased letter. */
export function isLower(text: string): boolean {
  return HAS_LOWER.test(text) && !HAS_UPPER.test(text) && !HAS_TITLE.test(text);
}

/** The pattern must have the flag g. */
export function countMatches(pattern: RegExp, text: string): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count += 1;
  return count;
}

/** Only a line feed ends a line. */
export function isLineStart(text: string, place: number): boolean {
  return place === 0 || text.charCodeAt(place - 1) === 0x0a;
}

export function findLineEnd(text: string, place: number): number {
  const end = text.indexOf("\n", place);
  return end === -1 ? text.length : end;
}
