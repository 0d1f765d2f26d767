import * as z from "zod";
import { quoteExcerpt } from "./built-in-grader.js";
import { flag, flags, nonEmptyText, pattern } from "./config.js";
import { findPatternProblem, readPattern, testPattern } from "./pattern.js";

export interface TextSearch {
  /** What is searched, for messages. */
  readonly wanted: string;
  /** What a text does that has it, and what one does that has it not: "contains" or "matches". */
  readonly verbs: { readonly found: string; readonly missing: string };
  isIn(text: string): boolean;
}

export const substringConfig = z.strictObject({ substring: nonEmptyText, case_sensitive: flag.default(false) });

export const patternConfig = z.strictObject({ pattern, flags: flags.default("") }).superRefine(checkFlags);

/** Some flags exclude each other, or do not fit the pattern. */
export function checkFlags(value: { pattern?: string | undefined; flags: string }, context: z.RefinementCtx): void {
  // An invalid pattern is reported already.
  const isPattern = value.pattern !== undefined && findPatternProblem(value.pattern) === null;
  const problem = isPattern ? findPatternProblem(value.pattern ?? "", value.flags) : null;
  if (problem !== null) context.addIssue({ code: "custom", path: ["flags"], message: `are invalid: ${problem}` });
}

export function createTextSearch(substring: string, isCaseSensitive: boolean): TextSearch {
  const wanted = quoteExcerpt(substring);
  const verbs = { found: "contains", missing: "does not contain" };
  if (isCaseSensitive) return { wanted, verbs, isIn: (text) => text.includes(substring) };
  const lower = substring.toLowerCase();
  return { wanted, verbs, isIn: (text) => text.toLowerCase().includes(lower) };
}

export function createPatternSearch(given: string, givenFlags: string): TextSearch {
  const expression = readPattern(given, givenFlags);
  const verbs = { found: "matches", missing: "does not match" };
  return { wanted: String(expression), verbs, isIn: (text) => testPattern(expression, text) };
}
