import { UsageError } from "../../core/errors.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import { loadTokenizer } from "../../models/tokens/index.js";

const DEFAULT_TOKENIZER = "cl100k_base";

/** What every compressor that keeps a share of the tokens is told. */
export interface ShareOptions {
  /** The part of the context's tokens that may be kept: more than 0, at most 1. */
  share: number;
  /** Counts the tokens; cl100k_base when none is given. */
  tokenizer?: Tokenizer;
}

/** Counts tokens; the default tokenizer's tables are read on first use, so that naming a compressor costs nothing. */
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
    // The small addend undoes binary fractions: 0.29 of 100 is 29, though 0.29 * 100 is 28.999….
    return Math.floor(this.share * this.count(text) + 1e-9);
  }
}
