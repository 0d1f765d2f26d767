/** A program that cannot be read for sure. */
export class Unreadable extends Error {}

/** Where a comment that begins here ends; the end of its line is no part of it. */
export function skipComment(text: string, from: number): number {
  const isLine = text.startsWith("//", from);
  const end = text.indexOf(isLine ? "\n" : "*/", from + 2);
  if (end !== -1) return isLine ? end : end + 2;
  if (isLine) return text.length;
  throw new Unreadable("a comment is not closed");
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  v: "\v",
  f: "\f",
  "\n": "",
};
const CODES = /x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|0(?!\d)/y;

/** A string as it stands in a program, and what it says. */
export function readString(text: string, from: number): { text: string; value: string } {
  const quote = text.charAt(from);
  const parts: string[] = [];
  let at = from + 1;
  for (;;) {
    const here = text.charAt(at);
    if (here === quote) return { text: text.slice(from, at + 1), value: parts.join("") };
    if (here === "" || here === "\n") throw new Unreadable("a string is not closed");
    const { part, length } = here === "\\" ? escapeAt(text, at) : { part: here, length: 1 };
    parts.push(part);
    at += length;
  }
}

function escapeAt(text: string, at: number): { part: string; length: number } {
  const next = text.charAt(at + 1);
  const simple = ESCAPES[next];
  if (simple !== undefined) return { part: simple, length: 2 };
  CODES.lastIndex = at + 1;
  const [found, two, four, any] = CODES.exec(text) ?? [];
  if (found !== undefined) {
    const code = Number.parseInt(two ?? four ?? any ?? "0", 16);
    if (code > 0x10ffff) throw new Unreadable("an unusual character in a string");
    return { part: String.fromCodePoint(code), length: 1 + found.length };
  }
  if (/[\dxu\r\u2028\u2029]/.test(next) || next === "") throw new Unreadable("an unusual escape in a string");
  return { part: next, length: 2 };
}

/** A template up to its end or its next value. */
export function readTemplate(text: string, from: number): string {
  for (let at = from + 1; at < text.length; at += 1) {
    const here = text.charAt(at);
    if (here === "\\") at += 1;
    else if (here === "`") return text.slice(from, at + 1);
    else if (here === "$" && text.charAt(at + 1) === "{") return text.slice(from, at + 2);
  }
  throw new Unreadable("a template is not closed");
}

const FLAGS = /[a-z]*/y;

/** A pattern with its flags. */
export function readRegex(text: string, from: number): string {
  let isInClass = false;
  for (let at = from + 1; at < text.length; at += 1) {
    const here = text.charAt(at);
    if (here === "\n") break;
    if (here === "\\") at += 1;
    else if (here === "[") isInClass = true;
    else if (here === "]") isInClass = false;
    else if (here === "/" && !isInClass) {
      FLAGS.lastIndex = at + 1;
      return text.slice(from, at + 1 + (FLAGS.exec(text)?.[0].length ?? 0));
    }
  }
  throw new Unreadable("a pattern is not closed");
}
