import type { Tokenizer } from "../core/tokenizer.js";

/** How much a memo may hold on to. */
export interface MemoOptions {
  /** The characters of all texts kept. */
  readonly maxChars: number;
  /** The number of texts kept; 20,000 unless told. */
  readonly maxEntries?: number;
}

/**
 * Counts each distinct text once while it is remembered, because systems see the same prompt again with every trial.
 *
 * @example
 * const tokenizer = memoTokenizer(loadTokenizer("cl100k_base"), { maxChars: 4_000_000 });
 */
export function memoTokenizer(tokenizer: Tokenizer, options: MemoOptions): Tokenizer {
  const counts = new CountMemo(options.maxChars / 2, (options.maxEntries ?? 20_000) / 2);
  const { quickUpTo = -1 } = tokenizer;
  // What a system was given and what it gave back are often the same text, and are counted one after the other.
  let last: string | null = null;
  let lastCount = 0;
  const quickly = (text: string): number => {
    if (text !== last) {
      lastCount = tokenizer.count(text);
      last = text;
    }
    return lastCount;
  };
  return {
    ...(tokenizer.name === undefined ? {} : { name: tokenizer.name }),
    count(text) {
      if (text.length <= quickUpTo) return quickly(text);
      const known = counts.get(text);
      if (known !== undefined) return known;
      const count = tokenizer.count(text);
      counts.set(text, count);
      return count;
    },
  };
}

/** Two generations of half the bound each: a full young one replaces the old, and whatever is used again moves over. */
class CountMemo {
  readonly #maxChars: number;
  readonly #maxEntries: number;
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #youngChars = 0;

  constructor(maxChars: number, maxEntries: number) {
    this.#maxChars = maxChars;
    this.#maxEntries = maxEntries;
  }

  get(text: string): number | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    if (this.#old.size === 0) return undefined;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, count: number): void {
    if (text.length > this.#maxChars || this.#maxEntries < 1) return;
    if (this.#youngChars + text.length > this.#maxChars || this.#young.size >= this.#maxEntries) this.#age();
    this.#young.set(text, count);
    this.#youngChars += text.length;
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngChars = 0;
  }
}
