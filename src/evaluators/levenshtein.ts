import type { Evaluator, Example, Output, ScoreContext, Scored } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { describeMissingGold, getResponseText, listGolds, markUnscored } from "./gold.js";
import { computeBestSimilarity, type SimilarityInput } from "./levenshtein-task.js";
import { requireTimeLimit, scoreInThread } from "./thread-scoring.js";

const FIELDS = ["levenshtein"] as const;
/** Two texts of 3,000 characters take about 6 ms; longer ones would block the run. */
const MAX_INLINE_PAIRS = 3_000 ** 2;
const MAX_INLINE_CHARS = 100_000;
const DEFAULT_LIMIT_MS = 10_000;

/** Options of `Levenshtein`. */
export interface LevenshteinOptions {
  /** Whether "A" and "a" differ. Default: true. */
  caseSensitive?: boolean;
  /** Collapse white space and trim both ends. Default: false. */
  normalizeSpace?: boolean;
  /** Time limit for the comparison of long texts, in milliseconds. Default: 10000. */
  limitMs?: number;
}

type LevenshteinFlags = Required<Pick<LevenshteinOptions, "caseSensitive" | "normalizeSpace">>;

/**
 * The similarity of the response and the gold answer: 1 − edits ÷ length of the longer one, where an
 * edit inserts, deletes or replaces one character (a code point). The best gold counts.
 * @example
 * await new Levenshtein().score({ id: 1, question: "…", answer: "kitten" }, { response: "sitting" });
 * // { levenshtein: 0.571… }, which is 1 − 3/7
 */
export class Levenshtein implements Evaluator {
  readonly name = "levenshtein";
  readonly fields: readonly string[] = FIELDS;
  readonly primaryFields: readonly string[] = FIELDS;
  readonly #flags: LevenshteinFlags;
  readonly #limitMs: number;

  constructor({ caseSensitive = true, normalizeSpace = false, limitMs = DEFAULT_LIMIT_MS }: LevenshteinOptions = {}) {
    this.#flags = { caseSensitive, normalizeSpace };
    this.#limitMs = requireTimeLimit(this.name, limitMs);
    for (const [flag, value] of Object.entries(this.#flags)) {
      if (typeof value === "boolean") continue;
      throw new UsageError(`levenshtein: ${flag} must be true or false, not ${JSON.stringify(value)}.`);
    }
  }

  score(original: Example, processed: Output, context?: ScoreContext): Scored | Promise<Scored> {
    const golds = listGolds(original).map((gold) => this.#normalize(gold));
    if (golds.length === 0) return markUnscored(FIELDS, describeMissingGold(original));
    const input: SimilarityInput = { golds, response: this.#normalize(getResponseText(processed)) };
    if (!isLongComparison(input)) return { levenshtein: computeBestSimilarity(input) };
    const work = { fields: FIELDS, task: "levenshtein" as const, input, limitMs: this.#limitMs, context };
    return scoreInThread<number>(work, (levenshtein) => ({ levenshtein }));
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 1, ...this.#flags };
  }

  #normalize(text: string): string {
    const { caseSensitive, normalizeSpace } = this.#flags;
    const cased = caseSensitive ? text : text.toLowerCase();
    return normalizeSpace ? cased.trim().replace(/\s+/g, " ") : cased;
  }
}

function isLongComparison({ golds, response }: SimilarityInput): boolean {
  const length = golds.reduce((sum, gold) => sum + gold.length, 0);
  return length + response.length > MAX_INLINE_CHARS || length * response.length > MAX_INLINE_PAIRS;
}
