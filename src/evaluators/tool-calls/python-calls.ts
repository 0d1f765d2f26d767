import type { Parsed } from "../json-text.js";
import type { Call } from "./call.js";
import { Cursor, NotPython } from "./python-cursor.js";
import { readArguments, readValue } from "./python-value.js";

/** Longer texts are no list of calls. */
const LONGEST = 200_000;
const NAME = () => /[A-Za-z_][\w.]*(?=\()/y;
const POSITIONAL = "positional ";

/**
 * The calls of a text that is nothing but calls in Python's syntax, in square brackets or one after the other; null when
 * it is anything else. Arguments without a name are called "positional 1", "positional 2".
 * @example
 * pythonCalls('[add(a=1, b=2), greet(name="Ada")]');
 * // [{ name: "add", args: { a: 1, b: 2 } }, { name: "greet", args: { name: "Ada" } }]
 */
export function pythonCalls(text: string): Call[] | null {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST || !/^\[?\s{0,9}[A-Za-z_]/.test(trimmed)) return null;
  return attempt(() => readCalls(new Cursor(trimmed)));
}

/** What a text is as a Python list or dict, such as "{'name': 'add'}"; null when it is none. */
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
