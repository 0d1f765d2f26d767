import type { Example } from "../../core/index.js";
import { parseJson, toJson } from "../json-text.js";
import {
  type Call,
  canonicalizeToolName,
  type DeclaredTool,
  findDeclaredTool,
  parseCalls,
  readDeclaredTools,
  toCallFields,
} from "./call.js";
import { parsePythonCalls } from "./python-calls.js";

interface ExpectedCall {
  name: string;
  /** Why a call of this name does not match; null if it does. */
  findDifference(args: Readonly<Record<string, unknown>>, wholeFloats: ReadonlySet<string>): string | null;
}

const BFCL_FIELDS = ["ground_truth", "possible_answer"] as const;
const PLAIN_FIELDS = ["answers", "answer"] as const;

/** Returns a message if the expected calls cannot be read. */
export function readExpectedCalls(example: Example): ExpectedCall[] | string {
  if (example.tool_calls !== undefined && example.tool_calls !== null) {
    return (
      parsePlainCalls(example.tool_calls) ?? "the example's tool_calls is not a list of calls with a name and arguments"
    );
  }
  for (const field of BFCL_FIELDS) {
    const value = example[field];
    if (value === undefined || value === null) continue;
    return parseBfclCalls(value, example) ?? `the example's ${field} is not a list of calls`;
  }
  for (const field of PLAIN_FIELDS) {
    const calls = parsePlainCalls(example[field]);
    if (calls !== null) return calls;
  }
  return "the example has no calls to compare with (tool_calls, ground_truth, possible_answer or answers)";
}

/** Returns null if the value holds anything but calls, and a message if a call cannot be compared. */
function parsePlainCalls(value: unknown): ExpectedCall[] | string | null {
  const read = unwrapJson(value);
  return read === undefined || read === null ? null : toExactCalls(parseCalls(read));
}

/** Parses JSON text, and lists of nothing but JSON texts. */
function unwrapJson(value: unknown): unknown {
  if (typeof value === "string") return parseJson(value)?.value;
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => typeof item === "string")) return value;
  const items = value.map((item) => parseJson(item));
  return items.every((item) => item !== null) ? items.flatMap(({ value: inner }) => inner) : undefined;
}

/** BFCL's ground truth: calls with lists of allowed values, or calls in Python's syntax. */
function parseBfclCalls(value: unknown, example: Example): ExpectedCall[] | string | null {
  const read = typeof value === "string" ? (parseJson(value)?.value ?? value) : value;
  const list: unknown[] = Array.isArray(read) ? read : [read];
  const tools = readDeclaredTools(example);
  const calls: ExpectedCall[] = [];
  for (const item of list) {
    const read = parseBfclCall(item, tools);
    if (read === null || typeof read === "string") return read;
    calls.push(...read);
  }
  return calls;
}

function parseBfclCall(item: unknown, tools: readonly DeclaredTool[]): ExpectedCall[] | string | null {
  if (typeof item === "string") return toExactCalls(parsePythonCalls(item));
  const fields = toCallFields(item);
  if (fields === null) return null;
  if (typeof fields.name === "string") return toExactCalls(parseCalls(fields));
  const calls = Object.entries(fields).map(([name, args]) => ({ name, allowed: toCallFields(args) }));
  if (calls.some(({ allowed }) => allowed === null)) return null;
  return calls.map(({ name, allowed }) => toLooseCalls(name, allowed ?? {}, findDeclaredTool(tools, name)));
}

function toExactCalls(calls: readonly Call[] | null): ExpectedCall[] | string | null {
  const broken = calls?.find(({ args }) => args === null);
  if (broken !== undefined)
    return `the arguments of the expected call ${broken.name.slice(0, 60)} are not a JSON object`;
  return calls?.map(({ name, args }) => createExpectedCall(name, args ?? {}, EXACT)) ?? null;
}

const EXACT: MatchRules = { isMatch: isSameArgument, mayLack: () => false, tool: undefined };

/** Like BFCL: what the tool's schema requires must be present, even if the ground truth allows to omit it. */
function toLooseCalls(
  name: string,
  allowed: Readonly<Record<string, unknown>>,
  tool: DeclaredTool | undefined,
): ExpectedCall {
  const mayLack = (key: string, wanted: unknown) => isOptionalArgument(wanted) && tool?.required.has(key) !== true;
  return createExpectedCall(name, allowed, { isMatch: isAllowedValue, mayLack, tool });
}

interface MatchRules {
  isMatch(value: unknown, wanted: unknown): boolean;
  mayLack(key: string, wanted: unknown): boolean;
  /** Whole numbers that it declares must be written as such: 10, and not 10.0. */
  tool: DeclaredTool | undefined;
}

function createExpectedCall(name: string, wanted: Readonly<Record<string, unknown>>, rules: MatchRules): ExpectedCall {
  const findDifference: ExpectedCall["findDifference"] = (args, wholeFloats) => {
    for (const key of Object.keys(args)) if (!Object.hasOwn(wanted, key)) return `argument ${key} is not expected`;
    for (const [key, value] of Object.entries(wanted)) {
      if (!Object.hasOwn(args, key)) {
        if (!rules.mayLack(key, value)) return `argument ${key} is missing`;
      } else if (!rules.isMatch(args[key], value))
        return `argument ${key} is ${formatJsonValue(args[key])}, not ${formatJsonValue(value)}`;
      if (rules.tool?.integers.has(key) === true && wholeFloats.has(key))
        return `argument ${key} is a fraction, not a whole number`;
    }
    return null;
  };
  return { name, findDifference };
}

function formatJsonValue(value: unknown): string {
  const text = toJson(value) ?? "a value that is not JSON";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Compares as JSON, ignoring the order of keys. */
function isSameArgument(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSameArgument(item, b[i]));
  const left = toCallFields(a);
  const right = toCallFields(b);
  if (left === null || right === null) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameArgument(left[key], right[key]))
  );
}

/**
 * Whether BFCL allows a value: texts are compared without case, spaces and ",./-_*^", lists item by
 * item, and every key of an object has its own list of allowed values.
 */
function isAllowedValue(value: unknown, allowed: unknown): boolean {
  const options: readonly unknown[] = Array.isArray(allowed) ? allowed : [allowed];
  return options.some((option) => isLooseMatch(value, option));
}

/** BFCL lets a key be omitted if "" is among the allowed values. */
function isOptionalArgument(allowed: unknown): boolean {
  return Array.isArray(allowed) && allowed.includes("");
}

function isLooseMatch(value: unknown, option: unknown): boolean {
  if (typeof value === "string" && typeof option === "string")
    return normalizeBfclText(value) === normalizeBfclText(option);
  if (Array.isArray(value) && Array.isArray(option)) {
    return value.length === option.length && value.every((item, i) => isLooseMatch(item, option[i]));
  }
  const fields = toCallFields(value);
  const wanted = toCallFields(option);
  if (fields === null || wanted === null) return isSameArgument(value, option);
  return (
    Object.entries(fields).every(([key, item]) => Object.hasOwn(wanted, key) && isAllowedValue(item, wanted[key])) &&
    Object.entries(wanted).every(([key, allowed]) => Object.hasOwn(fields, key) || isOptionalArgument(allowed))
  );
}

function normalizeBfclText(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, "")
    .toLowerCase()
    .replaceAll("'", '"');
}

/**
 * Why the calls that were made do not match the expected ones; null if they do. Each call pairs with one expected call,
 * in order or in any order.
 */
export function findCallDifference(
  expected: readonly ExpectedCall[],
  made: readonly Call[],
  isOrdered: boolean,
): string | null {
  if (made.length !== expected.length) {
    return `${made.length} ${made.length === 1 ? "call" : "calls"} made, ${expected.length} expected`;
  }
  const [wanted, call] = [expected[0], made[0]];
  if (wanted === undefined || call === undefined) return null;
  if (isOrdered || made.length === 1) return findFirstDifference(expected, made);
  if (canPairAll(expected, made)) return null;
  return findFirstDifference(expected, made) ?? "the calls do not match";
}

function findFirstDifference(expected: readonly ExpectedCall[], made: readonly Call[]): string | null {
  for (const [i, wanted] of expected.entries()) {
    const call = made[i];
    const difference = call === undefined ? "is missing" : compareCall(wanted, call);
    if (difference !== null) return `call ${i + 1}: ${difference}`;
  }
  return null;
}

const NONE: ReadonlySet<string> = new Set();

function compareCall(wanted: ExpectedCall, { name, args, wholeFloats = NONE }: Call): string | null {
  if (canonicalizeToolName(name) !== canonicalizeToolName(wanted.name))
    return `calls ${name.slice(0, 60)}, not ${wanted.name}`;
  return args === null ? "arguments are not JSON" : wanted.findDifference(args, wholeFloats);
}

/** Bipartite matching: pairs every expected call, reassigning earlier pairs where needed. */
function canPairAll(expected: readonly ExpectedCall[], made: readonly Call[]): boolean {
  const fits = expected.map((wanted) => made.flatMap((call, i) => (compareCall(wanted, call) === null ? [i] : [])));
  const takenBy = new Map<number, number>();
  return expected.every((_, i) => assignCall(i, { fits, takenBy, tried: new Set() }));
}

interface PairingState {
  fits: readonly (readonly number[])[];
  takenBy: Map<number, number>;
  tried: Set<number>;
}

function assignCall(wanted: number, places: PairingState): boolean {
  for (const call of places.fits[wanted] ?? []) {
    if (places.tried.has(call)) continue;
    places.tried.add(call);
    const holder = places.takenBy.get(call);
    if (holder === undefined || assignCall(holder, places)) {
      places.takenBy.set(call, wanted);
      return true;
    }
  }
  return false;
}
