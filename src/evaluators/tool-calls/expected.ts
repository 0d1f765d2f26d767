import type { Example } from "../../core/example.js";
import { jsonOf, parseJson } from "../json-text.js";
import { type Call, callsIn, fieldsOf } from "./call.js";
import { pythonCalls } from "./python-calls.js";
import { isAllowed, isOptional, isSame } from "./same.js";

/** A call that is asked for. */
export interface ExpectedCall {
  name: string;
  /** What keeps a call of this name from being it; null when nothing does. */
  differenceFrom(args: Readonly<Record<string, unknown>>): string | null;
}

const BFCL_FIELDS = ["ground_truth", "possible_answer"] as const;
const PLAIN_FIELDS = ["answers", "answer"] as const;

/** The calls that an example asks for; a reason in words when they cannot be told. */
export function expectedCalls(example: Example): ExpectedCall[] | string {
  if (example.tool_calls !== undefined && example.tool_calls !== null) {
    return plainCalls(example.tool_calls) ?? "the example's tool_calls are no list of calls with a name and arguments";
  }
  for (const field of BFCL_FIELDS) {
    const value = example[field];
    if (value !== undefined && value !== null) return bfclCalls(value) ?? `the example's ${field} is no list of calls`;
  }
  for (const field of PLAIN_FIELDS) {
    const calls = plainCalls(example[field]);
    if (calls !== null) return calls;
  }
  return "the example has no calls to compare with (tool_calls, ground_truth, possible_answer or answers)";
}

function plainCalls(value: unknown): ExpectedCall[] | null {
  const read = unwrapped(value);
  if (read === undefined || read === null) return null;
  return callsIn(read)?.map(exactly) ?? null;
}

/** JSON text, and lists of nothing but JSON texts, as what they hold. */
function unwrapped(value: unknown): unknown {
  if (typeof value === "string") return parseJson(value)?.value;
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => typeof item === "string")) return value;
  const items = value.map((item) => parseJson(item));
  return items.every((item) => item !== null) ? items.flatMap(({ value: inner }) => inner) : undefined;
}

/** BFCL's ground truth: calls with lists of allowed values, or calls in Python's syntax. */
function bfclCalls(value: unknown): ExpectedCall[] | null {
  const read = typeof value === "string" ? (parseJson(value)?.value ?? value) : value;
  const list: unknown[] = Array.isArray(read) ? read : [read];
  const calls = list.map(bfclCall);
  return calls.every((call) => call !== null) ? calls.flat() : null;
}

function bfclCall(item: unknown): ExpectedCall[] | null {
  if (typeof item === "string") return pythonCalls(item)?.map(exactly) ?? null;
  const fields = fieldsOf(item);
  if (fields === null) return null;
  if (typeof fields.name === "string") return callsIn(fields)?.map(exactly) ?? null;
  const calls = Object.entries(fields).map(([name, args]) => ({ name, allowed: fieldsOf(args) }));
  if (calls.some(({ allowed }) => allowed === null)) return null;
  return calls.map(({ name, allowed }) => loosely(name, allowed ?? {}));
}

function exactly({ name, args }: Call): ExpectedCall {
  return expected(name, args ?? {}, { isMatch: isSame, mayLack: () => false });
}

function loosely(name: string, allowed: Readonly<Record<string, unknown>>): ExpectedCall {
  return expected(name, allowed, { isMatch: isAllowed, mayLack: isOptional });
}

interface Rules {
  isMatch(value: unknown, wanted: unknown): boolean;
  mayLack(wanted: unknown): boolean;
}

function expected(name: string, wanted: Readonly<Record<string, unknown>>, rules: Rules): ExpectedCall {
  const differenceFrom: ExpectedCall["differenceFrom"] = (args) => {
    for (const key of Object.keys(args)) if (!Object.hasOwn(wanted, key)) return `argument ${key} is not expected`;
    for (const [key, value] of Object.entries(wanted)) {
      if (!Object.hasOwn(args, key)) {
        if (!rules.mayLack(value)) return `argument ${key} is missing`;
      } else if (!rules.isMatch(args[key], value)) return `argument ${key} is ${shown(args[key])}, not ${shown(value)}`;
    }
    return null;
  };
  return { name, differenceFrom };
}

function shown(value: unknown): string {
  const text = jsonOf(value) ?? "something that is no JSON";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
