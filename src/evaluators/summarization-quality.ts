import type { Evaluator, Example, Output, ScoreContext, Scored } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { describeMissingGold, getResponseText, listGolds, markUnscored } from "./gold.js";
import { computeRouge, type RougeInput, type RougeScores } from "./rouge/rouge.js";
import { requireTimeLimit, scoreInThread } from "./thread-scoring.js";

const FIELDS = [
  "rouge_l_precision",
  "rouge_l_recall",
  "rouge_l_f1",
  "rouge_1_f1",
  "rouge_2_f1",
  "rouge_lsum_f1",
] as const;

/** Two texts of 6,000 characters, some 1,000 words, take about 5 ms; longer ones would block the run. */
const MAX_INLINE_CHARS = 50_000;
const MAX_INLINE_PAIRS = 6000 ** 2;

const DEFAULT_LIMIT_MS = 10_000;

const NO_GOLD_WORD = "no gold answer has a word of letters a to z or digits, which is all that ROUGE compares";

/** Options of `SummarizationQuality`. */
export interface SummarizationQualityOptions {
  /** Compare stems, so that "cats" equals "cat". Default: false, as in Google's rouge_score. */
  stem?: boolean;
  /** Time limit for the comparison of long texts, in milliseconds. Default: 10000. */
  limitMs?: number;
}

/**
 * Compares the response with the gold summaries by ROUGE, with the same figures as Google's rouge_score. Lines are
 * the sentences of `rouge_lsum_f1`. Of several golds, the one with the best F-measure counts, for each kind of ROUGE.
 * @example
 * await new SummarizationQuality().score({ id: 1, context: "…", answer: "testing one two" }, { response: "testing two" });
 * // { rouge_l_precision: 1, rouge_l_recall: 0.666…, rouge_l_f1: 0.8, rouge_1_f1: 0.8, rouge_2_f1: 0, rouge_lsum_f1: 0.8 }
 */
export class SummarizationQuality implements Evaluator {
  readonly name = "summarization_quality";
  readonly fields: readonly string[] = FIELDS;
  readonly primaryFields: readonly string[] = ["rouge_l_f1"];
  readonly #stem: boolean;
  readonly #limitMs: number;

  constructor({ stem = false, limitMs = DEFAULT_LIMIT_MS }: SummarizationQualityOptions = {}) {
    if (typeof stem !== "boolean") {
      throw new UsageError(`summarization_quality: stem must be true or false, not ${JSON.stringify(stem)}.`);
    }
    this.#stem = stem;
    this.#limitMs = requireTimeLimit(this.name, limitMs);
  }

  score(original: Example, processed: Output, context?: ScoreContext): Scored | Promise<Scored> {
    const golds = listGolds(original);
    if (golds.length === 0) return markUnscored(FIELDS, describeMissingGold(original));
    const input: RougeInput = { golds, response: getResponseText(processed), stem: this.#stem };
    if (!isLongInput(input)) return toSummaryScores(computeRouge(input));
    const work = { fields: FIELDS, task: "rouge" as const, input, limitMs: this.#limitMs, context };
    return scoreInThread<RougeScores | null>(work, toSummaryScores);
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 1, stem: this.#stem };
  }
}

function isLongInput({ golds, response }: RougeInput): boolean {
  const length = golds.reduce((sum, gold) => sum + gold.length, 0);
  return length + response.length > MAX_INLINE_CHARS || length * response.length > MAX_INLINE_PAIRS;
}

function toSummaryScores(found: RougeScores | null): Scored {
  if (found === null) return markUnscored(FIELDS, NO_GOLD_WORD);
  const { rougeL, rouge1, rouge2, rougeLsum } = found;
  return {
    rouge_l_precision: rougeL.precision,
    rouge_l_recall: rougeL.recall,
    rouge_l_f1: rougeL.f1,
    rouge_1_f1: rouge1.f1,
    rouge_2_f1: rouge2.f1,
    rouge_lsum_f1: rougeLsum.f1,
  };
}
