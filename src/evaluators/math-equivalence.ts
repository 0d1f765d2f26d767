import type { Evaluator, Example, Output, ScoreContext, Scored } from "../core/index.js";
import { getErrorMessage, UsageError } from "../core/index.js";
import { runInThread, TimeLimitError } from "../exec/index.js";
import { convertToText, getResponseText, listGolds, markUnscored } from "./gold.js";
import { compareWithGold, type GoldComparison, VerdictCache } from "./math/grade.js";

const FIELDS = ["math_equiv"] as const;
const DEFAULT_LIMIT_MS = 2000;
/** A few megabytes at most: answers that need symbolic work are short. */
const MAX_CACHED_VERDICTS = 10_000;

/** Options of `MathEquivalence`. */
export interface MathEquivalenceOptions {
  /** Time limit for the symbolic comparison of one answer, in milliseconds. Default: 2000. */
  limitMs?: number;
}

/**
 * Compares the final answer of a response with the gold answers as mathematics: 1 if it is the same number, formula,
 * interval, set or matrix, however it is written. The answer is the last `\boxed{…}`, what follows "####", or what is
 * stated ("The answer is …"), else the last number. After "####" it is more lenient than GSM8K's own grader,
 * `#### (\-?[0-9\.\,]+)`: a missing space, a currency sign and a decimal of the same value ("18.0") count. Reads the
 * example's `answer` and `answers`, which may be whole solutions, and the output's `response`.
 * @example
 * await new MathEquivalence().score({ id: 1, question: "…", answer: "0.5" }, { response: "So it is \\boxed{\\frac12}." });
 * // { scores: { math_equiv: 1 }, evidence: { math_equiv: "\\frac12 (box), gold 0.5" } }
 */
export class MathEquivalence implements Evaluator {
  readonly name = "math_equivalence";
  readonly fields: readonly string[] = FIELDS;
  readonly primaryFields: readonly string[] = FIELDS;
  readonly #limitMs: number;
  readonly #memory = new VerdictCache(MAX_CACHED_VERDICTS);

  constructor({ limitMs = DEFAULT_LIMIT_MS }: MathEquivalenceOptions = {}) {
    if (!(Number.isFinite(limitMs) && limitMs > 0)) {
      throw new UsageError(`limitMs must be a number of milliseconds above 0, not ${String(limitMs)}.`);
    }
    this.#limitMs = limitMs;
  }

  score(original: Example, processed: Output, context?: ScoreContext): Scored | Promise<Scored> {
    const golds = listGolds(original);
    if (golds.length === 0) return markUnscored(FIELDS, "the example has no gold answer: it needs answer or answers");
    if (processed.response === undefined && typeof processed.context === "string") {
      return markUnscored(FIELDS, "the output has a context and no response");
    }
    const response = getResponseText(processed);
    const comparisons = golds.map((gold) => compareWithGold(gold, response, convertToText(original.question)));
    const same = comparisons.find(({ verdict }) => verdict === "same");
    if (same !== undefined) return toMathScore(1, same);
    const open = comparisons.filter(({ verdict }) => verdict === "open");
    const [first] = comparisons;
    return open.length === 0 && first !== undefined
      ? toMathScore(0, first)
      : this.#scoreSymbolically(open, context?.signal);
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 3 };
  }

  /** One after the other: the first equal gold ends the search. */
  async #scoreSymbolically(open: readonly GoldComparison[], signal: AbortSignal | undefined): Promise<Scored> {
    const [first] = open;
    let reason: string | null = null;
    for (const comparison of open) {
      const verdict = await this.#compare(comparison, signal);
      if (verdict === true) return toMathScore(1, comparison);
      if (verdict !== false) reason = verdict;
    }
    return reason !== null || first === undefined ? markUnscored(FIELDS, reason ?? "") : toMathScore(0, first);
  }

  /** Whether two answers are equal, or why that is unknown. */
  async #compare({ gold, given }: GoldComparison, signal: AbortSignal | undefined): Promise<boolean | string> {
    const options = { limitMs: this.#limitMs, ...(signal === undefined ? {} : { signal }) };
    const known = this.#memory.get(gold, given);
    if (known !== undefined) return known;
    try {
      const verdict = await runInThread<boolean>("symbolic_equality", { gold, given }, options);
      this.#memory.set(gold, given, verdict);
      return verdict;
    } catch (error) {
      if (signal?.aborted) throw error;
      const what =
        error instanceof TimeLimitError
          ? `took longer than ${this.#limitMs} ms`
          : `failed: ${getErrorMessage(error).slice(0, 200)}`;
      return `the symbolic comparison of the answers ${what}`;
    }
  }
}

function toMathScore(math_equiv: number, { evidence }: GoldComparison): Scored {
  return { scores: { math_equiv }, evidence: { math_equiv: evidence } };
}
