import type { Example } from "../../core/example.js";
import { jsonOf, parseJson } from "../json-text.js";
import { type Call, callsIn, fieldsOf } from "./call.js";
import { type DeclaredTool, findDeclaredTool, readDeclaredTools } from "./declared.js";
import { pythonCalls } from "./python-calls.js";

export interface ExpectedCall {
  name: string;
  /** Why a call of this name does not match; null if it does. */
  differenceFrom(args: Readonly<Record<string, unknown>>, wholeFloats: ReadonlySet<string>): string | null;
}

const BFCL_FIELDS = ["ground_truth", "possible_answer"] as const;
const PLAIN_FIELDS = ["answers", "answer"] as const;

/** Returns a message if the expected calls cannot be read. */
export function expectedCalls(example: Example): ExpectedCall[] | string {
  if (example.tool_calls !== undefined && example.tool_calls !== null) {
    return (
      plainCalls(example.tool_calls) ?? "the example's tool_calls is not a list of calls with a name and arguments"
    );
  }
  for (const field of BFCL_FIELDS) {
    const value = example[field];
    if (value === undefined || value === null) continue;
    return bfclCalls(value, example) ?? `the example's ${field} is not a list of calls`;
  }
  for (const field of PLAIN_FIELDS) {
    const calls = plainCalls(example[field]);
    if (calls !== null) return calls;
  }
  return "the example has no calls to compare with (tool_calls, ground_truth, possible_answer or answers)";
}

/** Returns null if the value holds anything but calls, and a message if a call cannot be compared. */
function plainCalls(value: unknown): ExpectedCall[] | string | null {
  const read = unwrapped(value);
  return read === undefined || read === null ? null : exactly(callsIn(read));
}

/** Parses JSON text, and lists of nothing but JSON texts. */
function unwrapped(value: unknown): unknown {
  if (typeof value === "string") return parseJson(value)?.value;
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => typeof item === "string")) return value;
  const items = value.map((item) => parseJson(item));
  return items.every((item) => item !== null) ? items.flatMap(({ value: inner }) => inner) : undefined;
}

/** BFCL's ground truth: calls with lists of allowed values, or calls in Python's syntax. */
function bfclCalls(value: unknown, example: Example): ExpectedCall[] | string | null {
  const read = typeof value === "string" ? (parseJson(value)?.value ?? value) : value;
  const list: unknown[] = Array.isArray(read) ? read : [read];
  const tools = readDeclaredTools(example);
  const calls: ExpectedCall[] = [];
  for (const item of list) {
    const read = bfclCall(item, tools);
    if (read === null || typeof read === "string") return read;
    calls.push(...read);
  }
  return calls;
}

function bfclCall(item: unknown, tools: readonly DeclaredTool[]): ExpectedCall[] | string | null {
  if (typeof item === "string") return exactly(pythonCalls(item));
  const fields = fieldsOf(item);
  if (fields === null) return null;
  if (typeof fields.name === "string") return exactly(callsIn(fields));
  const calls = Object.entries(fields).map(([name, args]) => ({ name, allowed: fieldsOf(args) }));
  if (calls.some(({ allowed }) => allowed === null)) return null;
  return calls.map(({ name, allowed }) => loosely(name, allowed ?? {}, findDeclaredTool(tools, name)));
}

function exactly(calls: readonly Call[] | null): ExpectedCall[] | string | null {
  const broken = calls?.find(({ args }) => args === null);
  if (broken !== undefined)
    return `the arguments of the expected call ${broken.name.slice(0, 60)} are not a JSON object`;
  return calls?.map(({ name, args }) => expected(name, args ?? {}, EXACT)) ?? null;
}

const EXACT: Rules = { isMatch: isSame, mayLack: () => false, tool: undefined };

/** Like BFCL: what the tool's schema requires must be present, even if the ground truth allows to omit it. */
function loosely(
  name: string,
  allowed: Readonly<Record<string, unknown>>,
  tool: DeclaredTool | undefined,
): ExpectedCall {
  const mayLack = (key: string, wanted: unknown) => isOptional(wanted) && tool?.required.has(key) !== true;
  return expected(name, allowed, { isMatch: isAllowed, mayLack, tool });
}

interface Rules {
  isMatch(value: unknown, wanted: unknown): boolean;
  mayLack(key: string, wanted: unknown): boolean;
  /** Whole numbers that it declares must be written as such: 10, and not 10.0. */
  tool: DeclaredTool | undefined;
}

function expected(name: string, wanted: Readonly<Record<string, unknown>>, rules: Rules): ExpectedCall {
  const differenceFrom: ExpectedCall["differenceFrom"] = (args, wholeFloats) => {
    for (const key of Object.keys(args)) if (!Object.hasOwn(wanted, key)) return `argument ${key} is not expected`;
    for (const [key, value] of Object.entries(wanted)) {
      if (!Object.hasOwn(args, key)) {
        if (!rules.mayLack(key, value)) return `argument ${key} is missing`;
      } else if (!rules.isMatch(args[key], value)) return `argument ${key} is ${shown(args[key])}, not ${shown(value)}`;
      if (rules.tool?.integers.has(key) === true && wholeFloats.has(key))
        return `argument ${key} is a fraction, not a whole number`;
    }
    return null;
  };
  return { name, differenceFrom };
}

function shown(value: unknown): string {
  const text = jsonOf(value) ?? "a value that is not JSON";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Compares as JSON, ignoring the order of keys. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  const left = fieldsOf(a);
  const right = fieldsOf(b);
  if (left === null || right === null) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}

/**
 * Whether BFCL allows a value: texts are compared without case, spaces and ",./-_*^", lists item by
 * item, and every key of an object has its own list of allowed values.
 */
function isAllowed(value: unknown, allowed: unknown): boolean {
  const options: readonly unknown[] = Array.isArray(allowed) ? allowed : [allowed];
  return options.some((option) => isLoose(value, option));
}

/** BFCL lets a key be omitted if "" is among the allowed values. */
function isOptional(allowed: unknown): boolean {
  return Array.isArray(allowed) && allowed.includes("");
}

function isLoose(value: unknown, option: unknown): boolean {
  if (typeof value === "string" && typeof option === "string") return standard(value) === standard(option);
  if (Array.isArray(value) && Array.isArray(option)) {
    return value.length === option.length && value.every((item, i) => isLoose(item, option[i]));
  }
  const fields = fieldsOf(value);
  const wanted = fieldsOf(option);
  if (fields === null || wanted === null) return isSame(value, option);
  return (
    Object.entries(fields).every(([key, item]) => Object.hasOwn(wanted, key) && isAllowed(item, wanted[key])) &&
    Object.entries(wanted).every(([key, allowed]) => Object.hasOwn(fields, key) || isOptional(allowed))
  );
}

function standard(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, "")
    .toLowerCase()
    .replaceAll("'", '"');
}
