import { type Cursor, NotPython } from "./python-cursor.js";

const OPENING = () => /([rbuf]{0,2})(?=["'])/iy;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f", "\n": "" };

/** The text in quotes that comes next, with those that follow it directly: Python joins them. Null when none does. */
export function readTexts(cursor: Cursor): string | null {
  const parts: string[] = [];
  for (let prefix = cursor.match(OPENING()); prefix !== null; prefix = cursor.match(OPENING())) {
    parts.push(readText(cursor, /r/i.test(prefix)));
  }
  return parts.length === 0 ? null : parts.join("");
}

function readText(cursor: Cursor, isRaw: boolean): string {
  const { text } = cursor;
  const quote = text[cursor.at] ?? "";
  const mark = text.startsWith(quote.repeat(3), cursor.at) ? quote.repeat(3) : quote;
  const parts: string[] = [];
  let i = cursor.at + mark.length;
  for (; !text.startsWith(mark, i); i++) {
    if (i >= text.length) throw new NotPython();
    if (text[i] === "\\" && !isRaw) {
      const { char, length } = readEscape(text, i + 1);
      parts.push(char);
      i += length;
    } else parts.push(text[i] ?? "");
  }
  cursor.at = i + mark.length;
  return parts.join("");
}

function readEscape(text: string, at: number): { char: string; length: number } {
  const code = /^(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8}))/i.exec(text.slice(at, at + 9));
  const digits = code?.[1] ?? code?.[2] ?? code?.[3];
  if (code !== null && digits !== undefined && Number.parseInt(digits, 16) <= 0x10ffff) {
    return { char: String.fromCodePoint(Number.parseInt(digits, 16)), length: code[0].length };
  }
  const char = text[at] ?? "";
  const known = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
  return { char: known ?? (/[\\'"]/.test(char) ? char : `\\${char}`), length: 1 };
}
