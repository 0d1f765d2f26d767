import { runInNewContext } from "node:vm";
import { GraderError } from "./grader-error.js";

/** How long one pattern may look through one text. */
const LIMIT_MS = 1000;
/** Flags at the beginning of a pattern, as other languages have them: `(?i)error`. */
const LEADING_FLAGS = /^\(\?([ims]+)\)/;
/** "g" and "y" would have an expression remember where it was. */
const REMEMBERING = /[gy]/g;

/**
 * The expression of a pattern and its flags; throws a `SyntaxError` when it is none.
 * @example
 * readPattern("(?i)error"); // /error/i
 */
export function readPattern(pattern: string, flags = ""): RegExp {
  const leading = LEADING_FLAGS.exec(pattern);
  const all = new Set([...(leading?.[1] ?? ""), ...flags.replace(REMEMBERING, "")]);
  return new RegExp(pattern.slice(leading?.[0].length ?? 0), [...all].join(""));
}

/** What keeps a pattern from being one; null when nothing does. */
export function problemWithPattern(pattern: string, flags = ""): string | null {
  try {
    readPattern(pattern, flags);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Whether a pattern occurs in a text. One that takes too long is given up: a pattern of a user on a text of an agent can
 * go on for ever, and a context of its own is the one place where V8 stops it without a thread.
 */
export function occursIn(pattern: RegExp, text: string, limitMs = LIMIT_MS): boolean {
  try {
    return runInNewContext("test()", { test: () => pattern.test(text) }, { timeout: limitMs }) === true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new GraderError(
      `the pattern ${String(pattern)} took longer than ${limitMs} ms on ${text.length} characters. Make it simpler.`,
      { cause: error },
    );
  }
}
