import { messageOf, UsageError } from "../core/errors.js";
import type { Evaluator, ScoreContext, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { responseOf, undecided } from "./gold.js";
import { heavyScored, limitOf } from "./heavy-scored.js";
import { isQuick } from "./pattern-cost.js";
import type { PatternQuestion } from "./pattern-task.js";

const FIELD = "regex";
const USUAL_LIMIT_MS = 1000;
/** A pattern between slashes, with the flags after the second. */
const SLASHED = /^\/([\s\S]+)\/([a-z]*)$/;

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
