import type { System } from "../../core/index.js";
import { createCompressor, type ShareOptions, TokenShare } from "./compressor.js";
import { selectPassages } from "./select.js";
import { splitSentences } from "./sentences.js";

/**
 * Keeps the sentences that best match the question (BM25), in their original order, up to a share of the context's tokens.
 * Without a question it keeps the first sentences.
 * @example
 * extract({ share: 0.3 }).name; // "extract:0.3"
 */
export function extract(options: ShareOptions): System {
  const tokens = new TokenShare(options);
  return createCompressor({
    name: `extract:${tokens.share}`,
    parameters: { share: tokens.share, tokenizer: tokens.tokenizerName },
    compress: (context, { question = "" }) => selectPassages(context, splitSentences(context), { question, tokens }),
  });
}
