import * as z from "zod";
import { nonEmptyText, pattern, wholeNumber } from "./config.js";
import { readPattern, testPattern } from "./pattern.js";
import type { ObservedToolCall } from "./trajectory.js";

const matcher = {
  name: pattern,
  /** Patterns by argument name, or one pattern for all arguments as JSON. */
  args: z
    .union([pattern, z.record(nonEmptyText, pattern)], "must be a pattern, or patterns by argument name")
    .optional(),
  /** Shorthands for arguments that most tools have. */
  command: pattern.optional(),
  path: pattern.optional(),
  result: pattern.optional(),
};
const beforeStep = { before_step: wholeNumber.min(2, "must be at least 2: nothing is before the first").optional() };

/** Builds the schema of a list entry; a plain string is a pattern for the tool's name. */
function buildEntrySchema<T extends z.ZodRawShape>(shape: T) {
  return z.union([pattern, z.strictObject({ ...matcher, ...shape })], "must be a name pattern, or { name, … }");
}

/** The config of `tool-calls`: calls that are required, forbidden, or expected in this order. */
export const toolCallsConfig = z
  .strictObject({
    required: z
      .array(
        buildEntrySchema({ ...beforeStep, min_count: wholeNumber.min(1, "must be at least 1").optional() }),
        "must be a list",
      )
      .optional(),
    disallowed: z.array(buildEntrySchema(beforeStep), "must be a list").optional(),
    sequence: z.array(buildEntrySchema({}), "must be a list").optional(),
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
  readonly fits: (call: ObservedToolCall) => boolean;
}

type CallEntry =
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

export function createCallMatch(given: CallEntry): CallMatch {
  const entry: Exclude<CallEntry, string> = typeof given === "string" ? { name: given } : given;
  const { name, result, min_count = 1, before_step } = entry;
  const checks = [createTextCheck(name, (call) => call.name), ...createArgumentChecks(entry)];
  if (before_step !== undefined) checks.push(({ turn }) => turn < before_step);
  if (result !== undefined) checks.push(createTextCheck(result, (call) => call.result));
  return {
    wanted: describeCallEntry(entry),
    minCount: min_count,
    fits: (call) => checks.every((check) => check(call)),
  };
}

type CallCheck = (call: ObservedToolCall) => boolean;

function createArgumentChecks(entry: Exclude<CallEntry, string>): CallCheck[] {
  const { args } = entry;
  const whole = typeof args === "string" ? [createTextCheck(args, (call) => toArgumentText(call.arguments))] : [];
  return [
    ...whole,
    ...Object.entries(collectNamedPatterns(entry)).map(([key, value]) =>
      createTextCheck(value, createArgumentReader(key)),
    ),
  ];
}

function collectNamedPatterns({ args, command, path }: Exclude<CallEntry, string>): Record<string, string> {
  return {
    ...(typeof args === "string" ? {} : args),
    ...(command === undefined ? {} : { command }),
    ...(path === undefined ? {} : { path }),
  };
}

function describeCallEntry(entry: Exclude<CallEntry, string>): string {
  const { name, args, result, before_step } = entry;
  const named = collectNamedPatterns(entry);
  const given = [typeof args === "string" ? args : "", Object.keys(named).length === 0 ? "" : toArgumentText(named)];
  const wanted = given.filter((part) => part !== "").map((part) => ` with ${part}`);
  const when = before_step === undefined ? "" : ` before step ${before_step}`;
  return `${name}${wanted.join("")}${result === undefined ? "" : ` giving ${result}`}${when}`;
}

/** Checks whether a pattern matches a text of the call; false if the call has no such text. */
function createTextCheck(given: string, textOf: (call: ObservedToolCall) => string | null): CallCheck {
  const expression = readPattern(given);
  return (call) => {
    const text = textOf(call);
    return text !== null && testPattern(expression, text);
  };
}

function createArgumentReader(key: string): (call: ObservedToolCall) => string | null {
  return (call) => {
    const given = toArgumentObject(call.arguments);
    return given !== null && Object.hasOwn(given, key) ? toArgumentText(given[key]) : null;
  };
}

/** Some agents report arguments as the JSON text that the model wrote. */
export function toArgumentObject(value: unknown): Record<string, unknown> | null {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  if (typeof value !== "string") return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function toArgumentText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
