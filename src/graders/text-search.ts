import * as z from "zod";
import { filled, flag, flags, pattern } from "./config.js";
import { quoted } from "./excerpt.js";
import { occursIn, problemWithPattern, readPattern } from "./pattern.js";

/** Looks for something in a text. */
export interface TextSearch {
  /** What is looked for, in words. */
  readonly wanted: string;
  isIn(text: string): boolean;
}

/** The config of graders that look for a text. */
export const substringConfig = z.strictObject({ substring: filled, case_sensitive: flag.default(false) });

/** The config of graders that look for a pattern. */
export const patternConfig = z.strictObject({ pattern, flags: flags.default("") }).superRefine(checkFlags);

/** Some flags exclude each other, and some patterns. */
export function checkFlags(value: { pattern?: string | undefined; flags: string }, context: z.RefinementCtx): void {
  // A pattern that is none by itself was refused already.
  const isPattern = value.pattern !== undefined && problemWithPattern(value.pattern) === null;
  const problem = isPattern ? problemWithPattern(value.pattern ?? "", value.flags) : null;
  if (problem !== null) context.addIssue({ code: "custom", path: ["flags"], message: `do not fit: ${problem}` });
}

/** Looks for a text as it is, or whatever its capitals. */
export function searchText(substring: string, isCaseSensitive: boolean): TextSearch {
  const wanted = quoted(substring);
  if (isCaseSensitive) return { wanted, isIn: (text) => text.includes(substring) };
  const lower = substring.toLowerCase();
  return { wanted, isIn: (text) => text.toLowerCase().includes(lower) };
}

/** Looks for a regular expression. */
export function searchPattern(given: string, givenFlags: string): TextSearch {
  const expression = readPattern(given, givenFlags);
  return { wanted: String(expression), isIn: (text) => occursIn(expression, text) };
}
