import type { System } from "../../core/system.js";
import { type BudgetOptions, TokenBudget } from "./budget.js";
import { compressor } from "./compressor.js";
import { selectPassages } from "./select.js";
import { splitSentences } from "./sentences.js";

/**
 * Keeps the sentences that match the question best (BM25), in their original order, to a share of the context's tokens.
 * Without a question it keeps the first sentences.
 * @example
 * extract({ share: 0.3 }).name; // "extract:0.3"
 */
export function extract(options: BudgetOptions): System {
  const budget = new TokenBudget(options);
  return compressor({
    name: `extract:${budget.share}`,
    parameters: { share: budget.share, tokenizer: budget.tokenizerName },
    compress: (context, { question = "" }) => selectPassages(context, splitSentences(context), { question, budget }),
  });
}
