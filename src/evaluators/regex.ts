import type { Evaluator, Example, Output, ScoreContext, Scored } from "../core/index.js";
import { getErrorMessage, UsageError } from "../core/index.js";
import { getResponseText, markUnscored } from "./gold.js";
import type { PatternTaskInput } from "./pattern-task.js";
import { requireTimeLimit, scoreInThread } from "./thread-scoring.js";

const FIELD = "regex";
const DEFAULT_LIMIT_MS = 1000;
const SLASHED = /^\/([\s\S]+)\/([a-z]*)$/;

/** Options of `Regex`. */
export interface RegexOptions {
  /** What must occur in the response: "yes|no", or between slashes with flags, "/yes|no/i". Default: the example's `pattern`. */
  pattern?: string | RegExp;
  /** Flags of a pattern without slashes. */
  flags?: string;
  /** Time limit for one response in milliseconds, since a pattern can run forever. Default: 1000. */
  limitMs?: number;
}

/**
 * Whether a regular expression occurs in the response: the evaluator's own, else the example's `pattern`. One that
 * takes too long leaves the row unscored.
 * @example
 * new Regex({ pattern: "/^yes/i" }).score({ id: 1, question: "…" }, { response: "Yes, it is." });
 * // { scores: { regex: 1 } }
 */
export class Regex implements Evaluator {
  readonly name = FIELD;
  readonly fields: readonly string[] = [FIELD];
  readonly primaryFields: readonly string[] = [FIELD];
  readonly #pattern: RegExp | null;
  readonly #flags: string;
  readonly #limitMs: number;

  constructor({ pattern, flags = "", limitMs = DEFAULT_LIMIT_MS }: RegexOptions = {}) {
    const read = pattern === undefined ? null : parsePattern(pattern, flags);
    if (typeof read === "string") throw new UsageError(`regex: invalid pattern: ${read}. Fix the pattern.`);
    this.#pattern = read;
    this.#flags = flags;
    this.#limitMs = requireTimeLimit(this.name, limitMs);
  }

  score(original: Example, processed: Output, context?: ScoreContext): Scored | Promise<Scored> {
    const pattern = this.#pattern ?? parsePattern(original.pattern, this.#flags);
    if (typeof pattern === "string") return markUnscored(this.fields, `the example's pattern is invalid: ${pattern}`);
    const text = getResponseText(processed);
    if (isQuickPattern(pattern.source, text.length)) return toRegexScore(new RegExp(pattern).test(text));
    const input: PatternTaskInput = { pattern: pattern.source, flags: pattern.flags, text };
    const work = { fields: this.fields, task: "pattern" as const, input, limitMs: this.#limitMs, context };
    return scoreInThread<boolean>(work, toRegexScore);
  }

  fingerprint(): unknown {
    const { source = null, flags = this.#flags } = this.#pattern ?? {};
    return { evaluator: this.name, version: 1, pattern: source, flags };
  }
}

function toRegexScore(matches: boolean): Scored {
  return { scores: { [FIELD]: matches ? 1 : 0 } };
}

/** Returns a message if the pattern is invalid. */
function parsePattern(given: unknown, flags: string): RegExp | string {
  if (given instanceof RegExp) return new RegExp(given.source, dropStatefulFlags(given.flags));
  if (typeof given !== "string" || given === "") return "it is missing or not a string";
  const slashed = SLASHED.exec(given);
  try {
    return slashed === null
      ? new RegExp(given, dropStatefulFlags(flags))
      : new RegExp(slashed[1] ?? "", dropStatefulFlags(`${slashed[2] ?? ""}`));
  } catch (error) {
    return getErrorMessage(error);
  }
}

/** "g" would make the expression keep its position. */
function dropStatefulFlags(flags: string): string {
  return flags.replace("g", "");
}

/** A few milliseconds' worth. */
const MAX_QUICK_STEPS = 5e6;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
/** A fixed count adds no alternatives, but takes steps. */
const TIMES = /^\{(\d+)\}/;
const REFERENCE = /\\[1-9k]/;

/**
 * Whether a pattern certainly finishes within a few milliseconds, so that it needs no thread. That holds for
 * patterns without repeated groups and back-references that have few choices for the length of the text: in the
 * worst case every repetition is tried with every length, at every position, in every combination.
 */
export function isQuickPattern(pattern: string, length: number): boolean {
  const choices = countPatternChoices(pattern);
  if (choices === null) return false;
  const { repetitions, alternatives, times } = choices;
  return (length + 2) ** (repetitions + 1) * 2 ** alternatives * (pattern.length + times) <= MAX_QUICK_STEPS;
}

interface PatternChoices {
  repetitions: number;
  /** Only inside groups: those of the whole pattern are tried one after the other. */
  alternatives: number;
  times: number;
}

/** Null if a group is repeated or referenced. */
function countPatternChoices(pattern: string): PatternChoices | null {
  if (REFERENCE.test(pattern)) return null;
  let repetitions = 0;
  let alternatives = 0;
  let times = 0;
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") i += 1;
    else if (char === "[") i = findClassEnd(pattern, i);
    else if (char === "(") {
      depth += 1;
      // The "?" of a special group is not a repetition.
      if (pattern[i + 1] === "?") i += 1;
    } else if (char === ")") depth -= 1;
    else if (char === "|") alternatives += depth > 0 ? 1 : 0;
    else {
      const quantifier = QUANTIFIER.exec(pattern.slice(i, i + 20));
      if (quantifier === null) continue;
      if (pattern[i - 1] === ")") return null;
      const count = TIMES.exec(quantifier[0])?.[1];
      if (count === undefined) repetitions += 1;
      else times += Number(count);
      i += quantifier[0].length - 1;
    }
  }
  return { repetitions, alternatives, times };
}

function findClassEnd(pattern: string, start: number): number {
  for (let i = start + 1; i < pattern.length; i++) {
    if (pattern[i] === "\\") i += 1;
    else if (pattern[i] === "]") return i;
  }
  return pattern.length;
}
