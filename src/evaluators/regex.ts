import { messageOf, UsageError } from "../core/errors.js";
import type { Evaluator, ScoreContext, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { responseOf, undecided } from "./gold.js";
import { heavyScored, limitOf } from "./heavy-scored.js";
import type { PatternQuestion } from "./pattern-task.js";

const FIELD = "regex";
const USUAL_LIMIT_MS = 1000;
/** A pattern between slashes, with the flags after the second. */
const SLASHED = /^\/([\s\S]+)\/([a-z]*)$/;

/** Options of `Regex`. */
export interface RegexOptions {
  /** What must occur in the response: "yes|no", or between slashes with flags, "/yes|no/i". Else the example's `pattern`. */
  pattern?: string | RegExp;
  /** Flags of a pattern without slashes. */
  flags?: string;
  /** How long one response may take; a pattern can go on for ever. One second unless given. */
  limitMs?: number;
}

/**
 * Whether a regular expression occurs in the response: the one it is made with, else the example's `pattern`. One that
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

  constructor({ pattern, flags = "", limitMs = USUAL_LIMIT_MS }: RegexOptions = {}) {
    const read = pattern === undefined ? null : readPattern(pattern, flags);
    if (typeof read === "string") throw new UsageError(`regex: the pattern cannot be used: ${read}. Mend it.`);
    this.#pattern = read;
    this.#flags = flags;
    this.#limitMs = limitOf(this.name, limitMs);
  }

  score(original: Example, processed: Output, context?: ScoreContext): Scored | Promise<Scored> {
    const pattern = this.#pattern ?? readPattern(original.pattern, this.#flags);
    if (typeof pattern === "string") return undecided(this.fields, `the example's pattern cannot be used: ${pattern}`);
    const text = responseOf(processed);
    if (isQuick(pattern.source, text.length)) return scoreOf(new RegExp(pattern).test(text));
    const input: PatternQuestion = { pattern: pattern.source, flags: pattern.flags, text };
    const work = { fields: this.fields, task: "pattern" as const, input, limitMs: this.#limitMs, context };
    return heavyScored<boolean>(work, scoreOf);
  }

  fingerprint(): unknown {
    const { source = null, flags = this.#flags } = this.#pattern ?? {};
    return { evaluator: this.name, version: 1, pattern: source, flags };
  }
}

function scoreOf(matches: boolean): Scored {
  return { scores: { [FIELD]: matches ? 1 : 0 } };
}

/** The expression of a text or of an expression; a text that says what is wrong with it when there is none. */
function readPattern(given: unknown, flags: string): RegExp | string {
  if (given instanceof RegExp) return new RegExp(given.source, stateless(given.flags));
  if (typeof given !== "string" || given === "") return "it is missing, or no text";
  const slashed = SLASHED.exec(given);
  try {
    return slashed === null
      ? new RegExp(given, stateless(flags))
      : new RegExp(slashed[1] ?? "", stateless(`${slashed[2] ?? ""}`));
  } catch (error) {
    return messageOf(error);
  }
}

/** "g" would have an expression remember where it was. */
function stateless(flags: string): string {
  return flags.replace("g", "");
}

/** As many steps as take a few milliseconds. */
const FEW_STEPS = 5e6;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
/** A number of times leaves nothing to try, but has to be gone through. */
const TIMES = /^\{(\d+)\}/;
const REFERENCE = /\\[1-9k]/;

/**
 * Whether a pattern is sure to be done with a text in a few milliseconds, so that no thread is needed to watch it. Sure
 * are patterns without repeated groups and back-references whose choices are few for the length of the text: in the
 * worst case every repetition is tried with every length, at every place, in every combination with all others.
 */
export function isQuick(pattern: string, length: number): boolean {
  const choices = choicesIn(pattern);
  if (choices === null) return false;
  const { repetitions, alternatives, times } = choices;
  return (length + 2) ** (repetitions + 1) * 2 ** alternatives * (pattern.length + times) <= FEW_STEPS;
}

interface Choices {
  repetitions: number;
  /** In groups: those of the whole pattern are tried one after the other. */
  alternatives: number;
  times: number;
}

/** What a pattern leaves to be tried; null when a group is repeated or referred to. */
function choicesIn(pattern: string): Choices | null {
  if (REFERENCE.test(pattern)) return null;
  let repetitions = 0;
  let alternatives = 0;
  let times = 0;
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") i += 1;
    else if (char === "[") i = classEnd(pattern, i);
    else if (char === "(") {
      depth += 1;
      // The mark of a special group is no repetition.
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

/** Where the character class that begins at `start` ends. */
function classEnd(pattern: string, start: number): number {
  for (let i = start + 1; i < pattern.length; i++) {
    if (pattern[i] === "\\") i += 1;
    else if (pattern[i] === "]") return i;
  }
  return pattern.length;
}
