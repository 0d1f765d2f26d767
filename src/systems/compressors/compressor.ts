import type { Example, Output, System, Tokenizer } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import { loadTokenizer } from "../../models/index.js";

interface CompressorOptions {
  name: string;
  /** Identifies the compressor's work in the cache: every parameter that changes its result. */
  parameters: Readonly<Record<string, unknown>>;
  compress: (context: string, example: Example) => string;
}

/**
 * Creates a system that returns a shorter context and never a response. An example without a context gets an empty output,
 * so that nothing is counted as produced.
 * @example
 * createCompressor({ name: "first-line", parameters: {}, compress: (context) => context.split("\n")[0] ?? "" });
 */
export function createCompressor({ name, parameters, compress }: CompressorOptions): System {
  return {
    name,
    process(example: Example): Output {
      const { context } = example;
      return context === undefined ? {} : { context: compress(context, example) };
    },
    // Increase `version` when a compressor changes its result, so that the cache is not reused.
    fingerprint: () => ({ compressor: name.split(":", 1)[0], version: 1, ...parameters }),
  };
}

const DEFAULT_TOKENIZER = "cl100k_base";

/** Options of compressors that keep a share of the tokens. */
export interface ShareOptions {
  /** The share of the context's tokens to keep: more than 0, at most 1. */
  share: number;
  /** Counts the tokens. Default: cl100k_base. */
  tokenizer?: Tokenizer;
}

/** Counts tokens. The default tokenizer's tables are loaded on first use, so that creating a compressor is cheap. */
export class TokenShare {
  readonly share: number;
  readonly tokenizerName: string;
  #tokenizer: Tokenizer | undefined;

  constructor({ share, tokenizer }: ShareOptions) {
    if (typeof share !== "number" || !(share > 0 && share <= 1)) {
      throw new UsageError(`The share of tokens to keep must be more than 0 and at most 1, but is ${share}.`);
    }
    this.share = share;
    this.#tokenizer = tokenizer;
    this.tokenizerName = tokenizer === undefined ? DEFAULT_TOKENIZER : (tokenizer.name ?? "custom");
  }

  count(text: string): number {
    this.#tokenizer ??= loadTokenizer(DEFAULT_TOKENIZER);
    return this.#tokenizer.count(text);
  }

  /** How many tokens of a text may be kept. */
  limit(text: string): number {
    // Adding 1e-9 corrects binary rounding: 0.29 of 100 is 29, though 0.29 * 100 is 28.999….
    return Math.floor(this.share * this.count(text) + 1e-9);
  }
}
