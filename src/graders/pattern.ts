import { runInNewContext } from "node:vm";
import { GraderError } from "./grader-error.js";
import { expandFlaggedGroups } from "./pattern-groups.js";

/** Time limit for one pattern on one text. */
const MAX_MATCH_MS = 1000;
/** Leading flags as in other languages: `(?i)error`. */
const LEADING_FLAGS = /^\(\?([ims]+)\)/;
/** "g" and "y" make an expression stateful. */
const STATEFUL_FLAGS = /[gy]/g;

/**
 * Compiles a pattern with its flags; throws a `SyntaxError` if it is invalid.
 * @example
 * readPattern("(?i)error"); // /error/i
 */
export function readPattern(pattern: string, flags = ""): RegExp {
  const leading = LEADING_FLAGS.exec(pattern);
  const all = new Set([...(leading?.[1] ?? ""), ...flags.replace(STATEFUL_FLAGS, "")]);
  return new RegExp(expandFlaggedGroups(pattern.slice(leading?.[0].length ?? 0)), [...all].join(""));
}

/** Returns why a pattern is invalid, or null. */
export function findPatternProblem(pattern: string, flags = ""): string | null {
  try {
    readPattern(pattern, flags);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Whether a pattern matches a text. A user's pattern on an agent's text can backtrack forever; a separate context is the
 * only place where V8 can stop it without a thread.
 */
export function testPattern(pattern: RegExp, text: string, limitMs = MAX_MATCH_MS): boolean {
  try {
    return runInNewContext("test()", { test: () => pattern.test(text) }, { timeout: limitMs }) === true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new GraderError(
      `the pattern ${String(pattern)} took longer than ${limitMs} ms on ${text.length} characters. Simplify it.`,
      { cause: error },
    );
  }
}
