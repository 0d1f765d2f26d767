import * as z from "zod";
import { DURATION_FORMAT_HINT, describeValue, didYouMean, parseDuration } from "../../core/index.js";
import { findRelativePathProblem } from "../../exec/index.js";

/** Fields of eval files. Messages continue after the name of the field. */
export const text = z.string({
  error: ({ input }) => `must be text, not ${describeValue(input)}${suggestQuotes(input)}`,
});
export const filled = text.regex(/\S/, "is empty: fill it in, or remove the line");
export const flag = z.boolean("must be true or false");
export const number = z.number("must be a number");
export const count = number.int("must be a whole number").min(0, "must not be negative");
export const positive = number.int("must be a whole number").min(1, "must be at least 1");
export const amount = number.min(0, "must not be negative");
export const share = number.min(0, "must be between 0 and 1").max(1, "must be between 0 and 1");

function suggestQuotes(value: unknown): string {
  return typeof value === "object" ? "" : ": put it in quotes";
}

/** Text with a unit. A bare number is rejected, because it could mean seconds or milliseconds. */
export const duration = z
  .string({ error: ({ input }) => (typeof input === "number" ? describeMissingUnit(input) : DURATION_FORMAT_HINT) })
  .superRefine((value, context) => {
    if (parseMilliseconds(value) === null)
      context.addIssue({ code: "custom", message: describeDurationProblem(value) });
  })
  .meta({ pattern: String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$` });

function describeMissingUnit(value: number): string {
  return `is ${value} without a unit: write "${value}s" for seconds, or "${value}ms"`;
}

function describeDurationProblem(value: string): string {
  const isBare = /^\s*\d+(?:\.\d+)?\s*$/.test(value);
  return isBare ? describeMissingUnit(Number(value)) : `${DURATION_FORMAT_HINT}, not ${describeValue(value)}`;
}

/** Returns null for an invalid duration. */
export function parseMilliseconds(value: string): number | null {
  return parseDuration(value.replaceAll(/\s/g, ""));
}

/** A path inside of the workspace. */
export const innerPath = filled.superRefine((value, context) => {
  const problem = value.trim() === "" ? null : findRelativePathProblem(value);
  if (problem !== null) context.addIssue({ code: "custom", message: `${problem}: name a path inside the workspace` });
});

export function createEnumField<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, {
    error: ({ input }) => `is ${describeValue(input)}.${didYouMean(formatEnumInput(input), words)}`,
  });
}

function formatEnumInput(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function createListField<T extends z.ZodType>(schema: T) {
  return z.array(schema, "must be a list");
}

export function createRecordField<T extends z.ZodType>(schema: T) {
  return z.record(z.string(), schema, "must be a mapping of names to values");
}

export function createMappingField<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, "must be a mapping of keys to values");
}
