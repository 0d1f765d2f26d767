import type { Parsed } from "../json-text.js";
import type { Call } from "./call.js";

const NUMBER = () => /(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/y;
const PYTHON_VALUE_NAME = () => /[A-Za-z_][\w.]*/y;
const KEYWORD = () => /[A-Za-z_]\w*(?=\s{0,9}=(?!=))/y;
const SUM = () => /[-+]/y;
const PRODUCT = () => /\*(?!\*)|\/\/?|%/y;
const POWER = () => /\*\*/y;
const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};
const DEEPEST = 100;

/**
 * Reads one value as BFCL reads Python: numbers, texts, lists, tuples (as lists), dicts, and sums of numbers. A name,
 * and a call without named arguments, are read as their own text.
 */
function readValue(cursor: Cursor, depth = 0): unknown {
  return noted(cursor, readSum(cursor, depth));
}

function noted(cursor: Cursor, operand: Operand): unknown {
  if (operand.type === "number" && operand.isFloat && Number.isInteger(operand.value)) cursor.wholeFloats += 1;
  return operand.value;
}

function readSum(cursor: Cursor, depth: number): Operand {
  return readChain(cursor, SUM, () => readChain(cursor, PRODUCT, () => readSigned(cursor, depth)));
}

function readChain(cursor: Cursor, operators: () => RegExp, next: () => Operand): Operand {
  let left = next();
  for (let found = cursor.match(operators()); found !== null; found = cursor.match(operators())) {
    left = combined(found as Operator, left, next());
  }
  return left;
}

function readSigned(cursor: Cursor, depth: number): Operand {
  let isNegative = false;
  let isSigned = false;
  for (let sign = cursor.match(SUM()); sign !== null; sign = cursor.match(SUM())) {
    isNegative = isNegative !== (sign === "-");
    isSigned = true;
  }
  const operand = readPower(cursor, depth);
  if (isSigned && operand.type !== "number") throw new NotPython();
  return isNegative ? negated(operand) : operand;
}

function readPower(cursor: Cursor, depth: number): Operand {
  if (depth > DEEPEST) throw new NotPython();
  const base = readOperand(cursor, depth);
  return cursor.match(POWER()) === null ? base : combined("**", base, readSigned(cursor, depth + 1));
}

function readOperand(cursor: Cursor, depth: number): Operand {
  const next = cursor.peek();
  if (next === "[") return { type: "other", value: readList(cursor, depth) };
  if (next === "(") return readBracketed(cursor, depth);
  if (next === "{") return { type: "other", value: readDict(cursor, depth) };
  const text = readTexts(cursor);
  if (text !== null) return { type: "text", value: text };
  const number = cursor.match(NUMBER());
  if (number === null) return { type: "other", value: readName(cursor, depth) };
  return { type: "number", value: Number(number.replaceAll("_", "")), isFloat: /[.eE]/.test(number) };
}

/** A tuple, or a value in brackets: a tuple has a comma. */
function readBracketed(cursor: Cursor, depth: number): Operand {
  cursor.at += 1;
  if (cursor.take(")")) return { type: "other", value: [] };
  const inner = readSum(cursor, depth + 1);
  if (cursor.take(")")) return inner;
  if (!cursor.take(",")) throw new NotPython();
  const first = noted(cursor, inner);
  return { type: "other", value: [first, ...readItems(cursor, ")", depth)] };
}

function readList(cursor: Cursor, depth: number): unknown[] {
  cursor.at += 1;
  return readItems(cursor, "]", depth);
}

function readItems(cursor: Cursor, close: string, depth: number): unknown[] {
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

/** A keyword such as True, a name, a call, or an item of a name. */
function readName(cursor: Cursor, depth: number): unknown {
  cursor.skipSpace();
  const start = cursor.at;
  const name = cursor.match(PYTHON_VALUE_NAME());
  if (name === null) throw new NotPython();
  if (cursor.peek() === "(") return readInnerCall(cursor, { name, start, depth });
  if (cursor.peek() === "[") readList(cursor, depth);
  else if (Object.hasOwn(WORDS, name)) return WORDS[name];
  else return name;
  return cursor.text.slice(start, cursor.at);
}

interface InnerCall {
  name: string;
  start: number;
  depth: number;
}

/** With named arguments it is read as BFCL reads any call; without, as text. */
function readInnerCall(cursor: Cursor, { name, start, depth }: InnerCall): unknown {
  const named = readArguments(cursor, depth + 1).flatMap(({ keyword, value }): [string, unknown][] =>
    keyword === null ? [] : [[keyword, value]],
  );
  if (named.length === 0) return cursor.text.slice(start, cursor.at);
  const args: Record<string, unknown> = Object.fromEntries(named);
  return { [name]: args };
}

interface Argument {
  /** Null for a positional argument. */
  keyword: string | null;
  value: unknown;
  /** Whether it is, or contains, a whole number written as a fraction. */
  hasWholeFloat: boolean;
}

/** Reads from the opening to the closing bracket. */
function readArguments(cursor: Cursor, depth = 0): Argument[] {
  if (depth > DEEPEST || !cursor.take("(")) throw new NotPython();
  const args: Argument[] = [];
  while (!cursor.take(")")) {
    const keyword = cursor.match(KEYWORD());
    if (keyword !== null) cursor.take("=");
    const before = cursor.wholeFloats;
    const value = readValue(cursor, depth);
    args.push({ keyword, value, hasWholeFloat: cursor.wholeFloats > before });
    if (!cursor.take(",") && cursor.peek() !== ")") throw new NotPython();
  }
  return args;
}

const OPENING = () => /([rbuf]{0,2})(?=["'])/iy;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f", "\n": "" };

/** Reads adjacent string literals, which Python joins. Null if there is none. */
function readTexts(cursor: Cursor): string | null {
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

/** Numbers and texts can be computed with; a name or a call stands for itself and cannot. */
type Operand =
  | { type: "number"; value: number; isFloat: boolean }
  | { type: "text"; value: string }
  | { type: "other"; value: unknown };

type Operator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** Throws where Python, or BFCL's reader of it, has no result. */
function combined(operator: Operator, left: Operand, right: Operand): Operand {
  if (left.type === "text" && right.type === "text" && operator === "+") {
    return { type: "text", value: left.value + right.value };
  }
  if (left.type !== "number" || right.type !== "number") throw new NotPython();
  const value = computed(operator, left.value, right.value);
  if (!Number.isFinite(value)) throw new NotPython();
  const isFraction = operator === "/" || (operator === "**" && right.value < 0);
  return { type: "number", value, isFloat: left.isFloat || right.isFloat || isFraction };
}

function computed(operator: Operator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%":
      return a - b * Math.floor(a / b);
    case "**":
      return a ** b;
  }
}

function negated(operand: Operand): Operand {
  if (operand.type !== "number") throw new NotPython();
  return { ...operand, value: -operand.value };
}

const LONGEST = 200_000;
const NAME = () => /[A-Za-z_][\w.]*(?=\()/y;
const POSITIONAL = "positional ";

/**
 * Parses a text that is nothing but calls in Python's syntax, in square brackets or one after the other; null for
 * other texts. Positional arguments are called "positional 1", "positional 2".
 * @example
 * parsePythonCalls('[add(a=1, b=2), greet(name="Ada")]');
 * // [{ name: "add", args: { a: 1, b: 2 } }, { name: "greet", args: { name: "Ada" } }]
 */
export function pythonCalls(text: string): Call[] | null {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST || !/^\[?\s{0,9}[A-Za-z_]/.test(trimmed)) return null;
  return attempt(() => readCalls(new Cursor(trimmed)));
}

/** Parses a Python list or dict, such as "{'name': 'add'}"; null for other texts. */
export function pythonLiteral(text: string): Parsed | null {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST || !/^[[{]/.test(trimmed)) return null;
  return attempt(() => {
    const cursor = new Cursor(trimmed);
    const value = readValue(cursor);
    if (cursor.peek() !== "") throw new NotPython();
    return { value };
  });
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotPython) return null;
    throw error;
  }
}

function readCalls(cursor: Cursor): Call[] {
  const isList = cursor.take("[");
  const calls: Call[] = [];
  while (cursor.peek() !== "" && cursor.peek() !== "]") {
    calls.push(readCall(cursor));
    while (cursor.take(",") || cursor.take(";"));
  }
  if (isList && !cursor.take("]")) throw new NotPython();
  if (cursor.peek() !== "" || calls.length === 0) throw new NotPython();
  return calls;
}

function readCall(cursor: Cursor): Call {
  const name = cursor.match(NAME());
  if (name === null) throw new NotPython();
  const read = readArguments(cursor).map(({ keyword, ...rest }, i) => ({
    key: keyword ?? `${POSITIONAL}${i + 1}`,
    ...rest,
  }));
  return {
    name,
    args: Object.fromEntries(read.map(({ key, value }) => [key, value])),
    wholeFloats: new Set(read.flatMap(({ key, hasWholeFloat }) => (hasWholeFloat ? [key] : []))),
  };
}

class Cursor {
  readonly text: string;
  at = 0;
  /** How many whole numbers were written as fractions so far, such as 10.0. */
  wholeFloats = 0;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  /** Skips spaces, then takes the character if it comes next. */
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

  /** Takes what a sticky pattern matches here; null if it does not match. */
  match(pattern: RegExp): string | null {
    this.skipSpace();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }
}

/** Thrown for text that is not Python; caught where reading began. */
class NotPython extends Error {}
