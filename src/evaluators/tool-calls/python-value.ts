import { type Cursor, NotPython } from "./python-cursor.js";
import { combined, negated, type Operand, type Operator } from "./python-sums.js";
import { readTexts } from "./python-texts.js";

const NUMBER = () => /(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/y;
const NAME = () => /[A-Za-z_][\w.]*/y;
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
 * One value as BFCL reads it from Python: numbers, texts, lists, tuples (as lists), dicts, and sums of numbers. A name,
 * and a call without named arguments, stand for their own text.
 */
export function readValue(cursor: Cursor, depth = 0): unknown {
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

/** A tuple, or a value that merely stands in brackets: a tuple has a comma. */
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

/** What comes before the closing bracket. */
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

/** A word such as True, a name, a call, or an item of a name. */
function readName(cursor: Cursor, depth: number): unknown {
  cursor.skipSpace();
  const start = cursor.at;
  const name = cursor.match(NAME());
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

/** With named arguments it is what BFCL makes of any call; without, it is text. */
function readInnerCall(cursor: Cursor, { name, start, depth }: InnerCall): unknown {
  const named = readArguments(cursor, depth + 1).flatMap(({ keyword, value }): [string, unknown][] =>
    keyword === null ? [] : [[keyword, value]],
  );
  if (named.length === 0) return cursor.text.slice(start, cursor.at);
  const args: Record<string, unknown> = Object.fromEntries(named);
  return { [name]: args };
}

/** One argument of a call. */
export interface Argument {
  /** Null for one without a name. */
  keyword: string | null;
  value: unknown;
  /** Whether it is, or its list holds, a whole number that was written as a fraction. */
  hasWholeFloat: boolean;
}

/** The arguments of a call, from its opening bracket to the closing one. */
export function readArguments(cursor: Cursor, depth = 0): Argument[] {
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
