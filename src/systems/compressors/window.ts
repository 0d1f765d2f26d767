import type { System } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import { createCompressor, type ShareOptions, TokenShare } from "./compressor.js";
import { selectPassages } from "./select.js";
import type { Sentence } from "./sentences.js";

const DEFAULT_WORDS = 60;
const WORD = /\S+/g;

/** Options of `window`. */
export interface WindowOptions extends ShareOptions {
  /** Words per passage. */
  words?: number;
}

/**
 * Keeps the fixed-size passages that best match the question (BM25), in their original order, up to a share of the
 * context's tokens, like retrieval over chunks.
 * @example
 * window({ share: 0.3, words: 80 }).name; // "window:0.3:80"
 */
export function window({ words = DEFAULT_WORDS, ...options }: WindowOptions): System {
  if (!Number.isInteger(words) || words < 1) {
    throw new UsageError(`The number of words of a window must be a whole number of at least 1, but is ${words}.`);
  }
  const tokens = new TokenShare(options);
  return createCompressor({
    name: `window:${tokens.share}${words === DEFAULT_WORDS ? "" : `:${words}`}`,
    parameters: { share: tokens.share, words, tokenizer: tokens.tokenizerName },
    compress: (context, { question = "" }) =>
      selectPassages(context, splitWindows(context, words), { question, tokens }),
  });
}

function splitWindows(text: string, words: number): Sentence[] {
  const windows: Sentence[] = [];
  let start = 0;
  let end = 0;
  let count = 0;
  for (const match of text.matchAll(WORD)) {
    if (count === 0) start = match.index;
    end = match.index + match[0].length;
    count += 1;
    if (count < words) continue;
    windows.push({ start, end });
    count = 0;
  }
  if (count > 0) windows.push({ start, end });
  return windows;
}
