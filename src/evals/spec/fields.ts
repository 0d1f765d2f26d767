import * as z from "zod";
import { DURATION_FORM, durationMs } from "../../core/duration.js";
import { describe } from "../../core/shape.js";
import { didYouMean } from "../../core/suggest.js";
import { problemWithPath } from "../../exec/workspace/relative-path.js";

/** Fields of eval files. Messages continue after the name of the field. */
export const text = z.string({ error: ({ input }) => `must be text, not ${describe(input)}${inQuotes(input)}` });
export const filled = text.regex(/\S/, "is empty: fill it in, or remove the line");
export const flag = z.boolean("must be true or false");
export const number = z.number("must be a number");
export const count = number.int("must be a whole number").min(0, "must not be negative");
export const positive = number.int("must be a whole number").min(1, "must be at least 1");
export const amount = number.min(0, "must not be negative");
export const share = number.min(0, "must be between 0 and 1").max(1, "must be between 0 and 1");

function inQuotes(value: unknown): string {
  return typeof value === "object" ? "" : ": put it in quotes";
}

/** Text with a unit. A bare number is rejected, because it could mean seconds or milliseconds. */
export const duration = z
  .string({ error: ({ input }) => (typeof input === "number" ? withoutUnit(input) : DURATION_FORM) })
  .superRefine((value, context) => {
    if (millisecondsOf(value) === null) context.addIssue({ code: "custom", message: problemWithDuration(value) });
  })
  .meta({ pattern: String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$` });

function withoutUnit(value: number): string {
  return `is ${value} without a unit: write "${value}s" for seconds, or "${value}ms"`;
}

function problemWithDuration(value: string): string {
  const isBare = /^\s*\d+(?:\.\d+)?\s*$/.test(value);
  return isBare ? withoutUnit(Number(value)) : `${DURATION_FORM}, not ${describe(value)}`;
}

/** Returns null for an invalid duration. */
export function millisecondsOf(value: string): number | null {
  return durationMs(value.replaceAll(/\s/g, ""));
}

/** A path inside of the workspace. */
export const innerPath = filled.superRefine((value, context) => {
  const problem = value.trim() === "" ? null : problemWithPath(value);
  if (problem !== null) context.addIssue({ code: "custom", message: `${problem}: name a path inside the workspace` });
});

export function oneOf<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: ({ input }) => `is ${describe(input)}.${didYouMean(wordOf(input), words)}` });
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function listOf<T extends z.ZodType>(schema: T) {
  return z.array(schema, "must be a list");
}

export function recordOf<T extends z.ZodType>(schema: T) {
  return z.record(z.string(), schema, "must be a mapping of names to values");
}

export function mapping<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, "must be a mapping of keys to values");
}
