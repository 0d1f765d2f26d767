import * as z from "zod";
import { filled, pattern, whole } from "./config.js";
import { occursIn, readPattern } from "./pattern.js";
import type { ToolCall } from "./trajectory.js";

const matcher = {
  name: pattern,
  /** Patterns by argument name, or one pattern for all arguments as JSON. */
  args: z.union([pattern, z.record(filled, pattern)], "must be a pattern, or patterns by argument name").optional(),
  /** Shorthands for arguments that most tools have. */
  command: pattern.optional(),
  path: pattern.optional(),
  result: pattern.optional(),
};
const beforeStep = { before_step: whole.min(2, "must be at least 2: nothing is before the first").optional() };

/** Builds the schema of a list entry; a plain string is a pattern for the tool's name. */
function entry<T extends z.ZodRawShape>(shape: T) {
  return z.union([pattern, z.strictObject({ ...matcher, ...shape })], "must be a name pattern, or { name, … }");
}

/** The config of `tool-calls`: calls that are required, forbidden, or expected in this order. */
export const toolCallsConfig = z
  .strictObject({
    required: z
      .array(entry({ ...beforeStep, min_count: whole.min(1, "must be at least 1").optional() }), "must be a list")
      .optional(),
    disallowed: z.array(entry(beforeStep), "must be a list").optional(),
    sequence: z.array(entry({}), "must be a list").optional(),
  })
  .refine(
    ({ required = [], disallowed = [], sequence = [] }) => required.length + disallowed.length + sequence.length > 0,
    "names no call: give required, disallowed or sequence",
  );

/** What a call must look like. */
export interface CallMatch {
  /** Description for messages. */
  readonly wanted: string;
  readonly minCount: number;
  readonly fits: (call: ToolCall) => boolean;
}

type Entry =
  | string
  | {
      name: string;
      args?: string | Record<string, string> | undefined;
      command?: string | undefined;
      path?: string | undefined;
      result?: string | undefined;
      min_count?: number | undefined;
      before_step?: number | undefined;
    };

export function callMatch(given: Entry): CallMatch {
  const entry: Exclude<Entry, string> = typeof given === "string" ? { name: given } : given;
  const { name, result, min_count = 1, before_step } = entry;
  const checks = [textCheck(name, (call) => call.name), ...argumentChecks(entry)];
  if (before_step !== undefined) checks.push(({ turn }) => turn < before_step);
  if (result !== undefined) checks.push(textCheck(result, (call) => call.result));
  return {
    wanted: inWords(entry),
    minCount: min_count,
    fits: (call) => checks.every((check) => check(call)),
  };
}

type CallCheck = (call: ToolCall) => boolean;

function argumentChecks(entry: Exclude<Entry, string>): CallCheck[] {
  const { args } = entry;
  const whole = typeof args === "string" ? [textCheck(args, (call) => asText(call.arguments))] : [];
  return [...whole, ...Object.entries(namedArguments(entry)).map(([key, value]) => textCheck(value, argument(key)))];
}

function namedArguments({ args, command, path }: Exclude<Entry, string>): Record<string, string> {
  return {
    ...(typeof args === "string" ? {} : args),
    ...(command === undefined ? {} : { command }),
    ...(path === undefined ? {} : { path }),
  };
}

function inWords(entry: Exclude<Entry, string>): string {
  const { name, args, result, before_step } = entry;
  const named = namedArguments(entry);
  const given = [typeof args === "string" ? args : "", Object.keys(named).length === 0 ? "" : asText(named)];
  const wanted = given.filter((part) => part !== "").map((part) => ` with ${part}`);
  const when = before_step === undefined ? "" : ` before step ${before_step}`;
  return `${name}${wanted.join("")}${result === undefined ? "" : ` giving ${result}`}${when}`;
}

/** Checks whether a pattern matches a text of the call; false if the call has no such text. */
function textCheck(given: string, textOf: (call: ToolCall) => string | null): CallCheck {
  const expression = readPattern(given);
  return (call) => {
    const text = textOf(call);
    return text !== null && occursIn(expression, text);
  };
}

function argument(key: string): (call: ToolCall) => string | null {
  return (call) => {
    const given = objectOf(call.arguments);
    return given !== null && Object.hasOwn(given, key) ? asText(given[key]) : null;
  };
}

/** Some agents report arguments as the JSON text that the model wrote. */
export function objectOf(value: unknown): Record<string, unknown> | null {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  if (typeof value !== "string") return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
