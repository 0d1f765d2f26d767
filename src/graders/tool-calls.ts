import * as z from "zod";
import type { GraderFactory } from "../core/index.js";
import { formatList, makeBuiltInGrader } from "./built-in-grader.js";
import { nonEmptyText, pattern, readConfig, wholeNumber } from "./config.js";
import { readPattern, testPattern } from "./pattern.js";
import { listToolCalls, type ObservedToolCall, requireObservedTrajectory } from "./trajectory.js";

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
const toolCallsConfig = z
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
interface CallMatch {
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

function createCallMatch(given: CallEntry): CallMatch {
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

/** Returns what is wrong with the calls, or null. */
type CallsCheck = (calls: readonly ObservedToolCall[]) => string | null;

/** Grades which tools were called, how and in which order. The score is the share of entries that hold. */
export const toolCallsGraders = {
  "tool-calls": (config) => {
    const { required = [], disallowed = [], sequence = [] } = readConfig(toolCallsConfig, config);
    const checks: CallsCheck[] = [
      ...required.map((entry) => checkCalled(createCallMatch(entry))),
      ...disallowed.map((entry) => checkNotCalled(createCallMatch(entry))),
      ...(sequence.length === 0 ? [] : [checkSequence(sequence.map((entry) => createCallMatch(entry)))]),
    ];
    return makeBuiltInGrader({
      name: "tool-calls",
      folderUse: "none",
      grade: ({ output }) => gradeToolCalls(checks, listToolCalls(requireObservedTrajectory(output))),
    });
  },
} satisfies Record<string, GraderFactory>;

function gradeToolCalls(checks: readonly CallsCheck[], calls: readonly ObservedToolCall[]) {
  const problems = checks.map((check) => check(calls)).filter((problem) => problem !== null);
  const names =
    calls.length === 0 ? "no tool was called" : `called: ${formatList([...new Set(calls.map(getToolName))], 10)}`;
  return {
    passed: problems.length === 0,
    score: (checks.length - problems.length) / checks.length,
    evidence: [...problems, names].join("; "),
  };
}

function getToolName({ name }: ObservedToolCall): string {
  return name;
}

function checkCalled({ wanted, minCount, fits }: CallMatch): CallsCheck {
  return (calls) => {
    const count = calls.filter(fits).length;
    if (count >= minCount) return null;
    return minCount === 1 ? `${wanted} was not called` : `${wanted} was called ${count} of ${minCount} times`;
  };
}

function checkNotCalled({ wanted, fits }: CallMatch): CallsCheck {
  return (calls) => (calls.some(fits) ? `${wanted} was called` : null);
}

/** Other calls may come in between. */
function checkSequence(sequence: readonly CallMatch[]): CallsCheck {
  return (calls) => {
    let next = 0;
    for (const call of calls) if (sequence[next]?.fits(call) === true) next += 1;
    const missing = sequence[next];
    if (missing === undefined) return null;
    const after = next === 0 ? "" : ` after ${sequence[next - 1]?.wanted ?? ""}`;
    return `the sequence stops at ${missing.wanted}: it was not called${after}`;
  };
}
