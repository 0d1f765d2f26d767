import type { ParsedJson } from "../json-text.js";
import type { Call } from "./call.js";

const createNumberPattern = () => /(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/y;
const createValueNamePattern = () => /[A-Za-z_][\w.]*/y;
const createKeywordPattern = () => /[A-Za-z_]\w*(?=\s{0,9}=(?!=))/y;
const createSumPattern = () => /[-+]/y;
const createProductPattern = () => /\*(?!\*)|\/\/?|%/y;
const createPowerPattern = () => /\*\*/y;
const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};
const MAX_DEPTH = 100;

/**
 * Reads one value as BFCL reads Python: numbers, texts, lists, tuples (as lists), dicts, and sums of numbers. A name,
 * and a call without named arguments, are read as their own text.
 */
function readPythonValue(cursor: Cursor, depth = 0): unknown {
  return noteWholeFloat(cursor, readSum(cursor, depth));
}

function noteWholeFloat(cursor: Cursor, operand: Operand): unknown {
  if (operand.type === "number" && operand.isFloat && Number.isInteger(operand.value)) cursor.wholeFloats += 1;
  return operand.value;
}

function readSum(cursor: Cursor, depth: number): Operand {
  return readChain(cursor, createSumPattern, () =>
    readChain(cursor, createProductPattern, () => readSigned(cursor, depth)),
  );
}

function readChain(cursor: Cursor, operators: () => RegExp, next: () => Operand): Operand {
  let left = next();
  for (let found = cursor.match(operators()); found !== null; found = cursor.match(operators())) {
    left = combineOperands(found as Operator, left, next());
  }
  return left;
}

function readSigned(cursor: Cursor, depth: number): Operand {
  let isNegative = false;
  let isSigned = false;
  for (let sign = cursor.match(createSumPattern()); sign !== null; sign = cursor.match(createSumPattern())) {
    isNegative = isNegative !== (sign === "-");
    isSigned = true;
  }
  const operand = readPower(cursor, depth);
  if (isSigned && operand.type !== "number") throw new PythonSyntaxError();
  return isNegative ? negateOperand(operand) : operand;
}

function readPower(cursor: Cursor, depth: number): Operand {
  if (depth > MAX_DEPTH) throw new PythonSyntaxError();
  const base = readOperand(cursor, depth);
  return cursor.match(createPowerPattern()) === null
    ? base
    : combineOperands("**", base, readSigned(cursor, depth + 1));
}

function readOperand(cursor: Cursor, depth: number): Operand {
  const next = cursor.peek();
  if (next === "[") return { type: "other", value: readList(cursor, depth) };
  if (next === "(") return readBracketed(cursor, depth);
  if (next === "{") return { type: "other", value: readDict(cursor, depth) };
  const text = readStrings(cursor);
  if (text !== null) return { type: "text", value: text };
  const number = cursor.match(createNumberPattern());
  if (number === null) return { type: "other", value: readPythonName(cursor, depth) };
  return { type: "number", value: Number(number.replaceAll("_", "")), isFloat: /[.eE]/.test(number) };
}

/** A tuple, or a value in brackets: a tuple has a comma. */
function readBracketed(cursor: Cursor, depth: number): Operand {
  cursor.at += 1;
  if (cursor.take(")")) return { type: "other", value: [] };
  const inner = readSum(cursor, depth + 1);
  if (cursor.take(")")) return inner;
  if (!cursor.take(",")) throw new PythonSyntaxError();
  const first = noteWholeFloat(cursor, inner);
  return { type: "other", value: [first, ...readItems(cursor, ")", depth)] };
}

function readList(cursor: Cursor, depth: number): unknown[] {
  cursor.at += 1;
  return readItems(cursor, "]", depth);
}

function readItems(cursor: Cursor, close: string, depth: number): unknown[] {
  const items: unknown[] = [];
  while (!cursor.take(close)) {
    items.push(readPythonValue(cursor, depth + 1));
    if (!cursor.take(",") && cursor.peek() !== close) throw new PythonSyntaxError();
  }
  return items;
}

function readDict(cursor: Cursor, depth: number): Record<string, unknown> {
  cursor.at += 1;
  const entries: [string, unknown][] = [];
  while (!cursor.take("}")) {
    const key = readPythonValue(cursor, depth + 1);
    if (!cursor.take(":")) throw new PythonSyntaxError();
    entries.push([String(key), readPythonValue(cursor, depth + 1)]);
    if (!cursor.take(",") && cursor.peek() !== "}") throw new PythonSyntaxError();
  }
  return Object.fromEntries(entries);
}

/** A keyword such as True, a name, a call, or an item of a name. */
function readPythonName(cursor: Cursor, depth: number): unknown {
  cursor.skipSpace();
  const start = cursor.at;
  const name = cursor.match(createValueNamePattern());
  if (name === null) throw new PythonSyntaxError();
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

interface PythonArgument {
  /** Null for a positional argument. */
  keyword: string | null;
  value: unknown;
  /** Whether it is, or contains, a whole number written as a fraction. */
  hasWholeFloat: boolean;
}

/** Reads from the opening to the closing bracket. */
function readArguments(cursor: Cursor, depth = 0): PythonArgument[] {
  if (depth > MAX_DEPTH || !cursor.take("(")) throw new PythonSyntaxError();
  const args: PythonArgument[] = [];
  while (!cursor.take(")")) {
    const keyword = cursor.match(createKeywordPattern());
    if (keyword !== null) cursor.take("=");
    const before = cursor.wholeFloats;
    const value = readPythonValue(cursor, depth);
    args.push({ keyword, value, hasWholeFloat: cursor.wholeFloats > before });
    if (!cursor.take(",") && cursor.peek() !== ")") throw new PythonSyntaxError();
  }
  return args;
}

const createOpeningPattern = () => /([rbuf]{0,2})(?=["'])/iy;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f", "\n": "" };

/** Reads adjacent string literals, which Python joins. Null if there is none. */
function readStrings(cursor: Cursor): string | null {
  const parts: string[] = [];
  for (
    let prefix = cursor.match(createOpeningPattern());
    prefix !== null;
    prefix = cursor.match(createOpeningPattern())
  ) {
    parts.push(readString(cursor, /r/i.test(prefix)));
  }
  return parts.length === 0 ? null : parts.join("");
}

function readString(cursor: Cursor, isRaw: boolean): string {
  const { text } = cursor;
  const quote = text[cursor.at] ?? "";
  const mark = text.startsWith(quote.repeat(3), cursor.at) ? quote.repeat(3) : quote;
  const parts: string[] = [];
  let i = cursor.at + mark.length;
  for (; !text.startsWith(mark, i); i++) {
    if (i >= text.length) throw new PythonSyntaxError();
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
function combineOperands(operator: Operator, left: Operand, right: Operand): Operand {
  if (left.type === "text" && right.type === "text" && operator === "+") {
    return { type: "text", value: left.value + right.value };
  }
  if (left.type !== "number" || right.type !== "number") throw new PythonSyntaxError();
  const value = computeNumber(operator, left.value, right.value);
  if (!Number.isFinite(value)) throw new PythonSyntaxError();
  const isFraction = operator === "/" || (operator === "**" && right.value < 0);
  return { type: "number", value, isFloat: left.isFloat || right.isFloat || isFraction };
}

function computeNumber(operator: Operator, a: number, b: number): number {
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

function negateOperand(operand: Operand): Operand {
  if (operand.type !== "number") throw new PythonSyntaxError();
  return { ...operand, value: -operand.value };
}

const MAX_LENGTH = 200_000;
const createCallNamePattern = () => /[A-Za-z_][\w.]*(?=\()/y;
const POSITIONAL = "positional ";

/**
 * Parses a text that is nothing but calls in Python's syntax, in square brackets or one after the other; null for
 * other texts. Positional arguments are called "positional 1", "positional 2".
 * @example
 * parsePythonCalls('[add(a=1, b=2), greet(name="Ada")]');
 * // [{ name: "add", args: { a: 1, b: 2 } }, { name: "greet", args: { name: "Ada" } }]
 */
export function parsePythonCalls(text: string): Call[] | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || !/^\[?\s{0,9}[A-Za-z_]/.test(trimmed)) return null;
  return tryRead(() => readPythonCalls(new Cursor(trimmed)));
}

/** Parses a Python list or dict, such as "{'name': 'add'}"; null for other texts. */
export function parsePythonLiteral(text: string): ParsedJson | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || !/^[[{]/.test(trimmed)) return null;
  return tryRead(() => {
    const cursor = new Cursor(trimmed);
    const value = readPythonValue(cursor);
    if (cursor.peek() !== "") throw new PythonSyntaxError();
    return { value };
  });
}

function tryRead<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PythonSyntaxError) return null;
    throw error;
  }
}

function readPythonCalls(cursor: Cursor): Call[] {
  const isList = cursor.take("[");
  const calls: Call[] = [];
  while (cursor.peek() !== "" && cursor.peek() !== "]") {
    calls.push(readPythonCall(cursor));
    while (cursor.take(",") || cursor.take(";"));
  }
  if (isList && !cursor.take("]")) throw new PythonSyntaxError();
  if (cursor.peek() !== "" || calls.length === 0) throw new PythonSyntaxError();
  return calls;
}

function readPythonCall(cursor: Cursor): Call {
  const name = cursor.match(createCallNamePattern());
  if (name === null) throw new PythonSyntaxError();
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
class PythonSyntaxError extends Error {}
