import * as z from "zod";
import { DURATION_FORMAT_HINT, didYouMean, parseDuration } from "../core/index.js";
import { findGlobPathProblem, findGlobProblem } from "./glob.js";
import { GraderError } from "./grader-error.js";
import { findPatternProblem } from "./pattern.js";

/** Schemas that grader configs are built from. */
export const text = z.string("must be a string");
export const nonEmptyText = text.min(1, "must not be empty");
export const flag = z.boolean("must be true or false");
export const wholeNumber = z.number("must be a number").int("must be a whole number").min(0, "must not be negative");
export const turnNumber = z.number("must be a number").int("must be a whole number").min(1, "must be at least 1");
export const amount = z.number("must be a number").min(0, "must not be negative");
export const pattern = addCheck(nonEmptyText, (value) => {
  const problem = findPatternProblem(value);
  return problem === null ? null : `is not a regular expression: ${problem}`;
});
export const flags = text.regex(/^[dgimsuvy]*$/, "must be regular expression flags such as i or im");
export const glob = addCheck(nonEmptyText, findGlobProblem);
export const path = addCheck(nonEmptyText, findGlobPathProblem);
export const duration = addCheck(z.string(DURATION_FORMAT_HINT), (value) =>
  parseDuration(value) === null ? DURATION_FORMAT_HINT : null,
).transform((value) => parseDuration(value) ?? 0);

/** Adds a check that returns an error message, or null. */
function addCheck(schema: z.ZodString, problemWith: (value: string) => string | null) {
  return schema.superRefine((value, context) => {
    const message = problemWith(value);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
}

type RawConfig = Readonly<Record<string, unknown>>;

/** Parses a config. Strict: an unknown key would otherwise be a check that is silently skipped. */
export function readConfig<T extends z.ZodType>(schema: T, config: RawConfig, what = "its config"): z.output<T> {
  const parsed = schema.safeParse(config, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new GraderError(parsed.error.issues.map((issue) => formatConfigIssue(issue, schema, what)).join("; "));
}

function formatConfigIssue(issue: z.core.$ZodIssue, schema: z.ZodType, what: string): string {
  const at = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const known = listKeys(schema, issue.path);
    return `${at || what} has the unknown key "${key}".${didYouMean(key, known).replace(/\.$/, "")}`;
  }
  if (issue.code === "invalid_union") return formatUnionIssue(issue, { schema, what, at });
  const message = issue.message.replace(/^Invalid input: /, "");
  return isMissingValue(issue) ? `${at || what} is missing` : `${at || what} ${message}`;
}

/** For a missing value, zod's message about the wrong type would be misleading. */
function isMissingValue(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" && issue.input === undefined && issue.path.length > 0;
}

interface UnionContext {
  schema: z.ZodType;
  what: string;
  at: string;
}

/** Reports the alternative of the union that matched the furthest: most likely the one that was meant. */
function formatUnionIssue(issue: z.core.$ZodIssueInvalidUnion, { schema, what, at }: UnionContext): string {
  const inner = issue.errors
    .flat()
    .filter(({ code, path }) => path.length > 0 || code === "unrecognized_keys" || code === "custom")
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (inner === undefined) return `${at || what} ${issue.message}`;
  return formatConfigIssue({ ...inner, path: [...issue.path, ...inner.path] }, schema, what);
}

/** Lists the keys that the object at a path may have. */
function listKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const inner = unwrapSchema(schema);
  const [key, ...rest] = path;
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => listKeys(option as z.ZodType, path));
  if (inner instanceof z.ZodArray) return listKeys(inner.element as z.ZodType, key === undefined ? path : rest);
  if (!(inner instanceof z.ZodObject)) return [];
  const shape = inner.shape as Record<string, z.ZodType>;
  if (key === undefined) return Object.keys(shape);
  const next = shape[String(key)];
  return next === undefined ? [] : listKeys(next, rest);
}

function unwrapSchema(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return unwrapSchema(schema.def.innerType as z.ZodType);
  }
  return schema;
}
