/** A text that is read from left to right. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  /** Takes a character if it comes next, after any space. */
  take(char: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  peek(): string {
    this.skipSpace();
    return this.text[this.at] ?? "";
  }

  /** Takes what a sticky pattern matches here; null when it does not. */
  match(pattern: RegExp): string | null {
    this.skipSpace();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }
}

/** What is not Python; caught where reading began. */
export class NotPython extends Error {}

const NUMBER = () => /[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/y;
const NAME = () => /[A-Za-z_][\w.]*/y;
const PREFIXED = () => /[rbuf]{1,2}(?=["'])/iy;
const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f", "\n": "" };
const DEEPEST = 100;

/** One value as Python writes it: numbers, texts, lists, tuples (as lists), dicts; another name stands for itself. */
export function readValue(cursor: Cursor, depth = 0): unknown {
  if (depth > DEEPEST) throw new NotPython();
  const next = cursor.peek();
  if (next === "[") return readList(cursor, "]", depth);
  if (next === "(") return readList(cursor, ")", depth);
  if (next === "{") return readDict(cursor, depth);
  const prefix = cursor.match(PREFIXED());
  if (prefix !== null || next === '"' || next === "'") return readText(cursor, /r/i.test(prefix ?? ""));
  const number = cursor.match(NUMBER());
  if (number !== null) return Number(number.replaceAll("_", ""));
  const name = cursor.match(NAME());
  if (name === null) throw new NotPython();
  return Object.hasOwn(WORDS, name) ? WORDS[name] : name;
}

function readList(cursor: Cursor, close: string, depth: number): unknown[] {
  cursor.at += 1;
  const items: unknown[] = [];
  while (!cursor.take(close)) {
    items.push(readValue(cursor, depth + 1));
    if (!cursor.take(",") && cursor.peek() !== close) throw new NotPython();
  }
  return items;
}

function readDict(cursor: Cursor, depth: number): Record<string, unknown> {
  cursor.at += 1;
  const entries: [string, unknown][] = [];
  while (!cursor.take("}")) {
    const key = readValue(cursor, depth + 1);
    if (!cursor.take(":")) throw new NotPython();
    entries.push([String(key), readValue(cursor, depth + 1)]);
    if (!cursor.take(",") && cursor.peek() !== "}") throw new NotPython();
  }
  return Object.fromEntries(entries);
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
