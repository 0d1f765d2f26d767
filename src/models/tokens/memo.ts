import type { Tokenizer } from "../../core/tokenizer.js";

/** Limits of a token count cache. */
export interface MemoOptions {
  /** Total characters of the cached texts. */
  readonly maxChars: number;
  /** Number of cached texts. Default: 1,000. */
  readonly maxEntries?: number;
}

/**
 * Caches token counts by text, because systems see the same prompt in every trial. A full cache is emptied.
 *
 * @example
 * const tokenizer = memoTokenizer(loadTokenizer("cl100k_base"), { maxChars: 4_000_000 });
 */
export function memoTokenizer(tokenizer: Tokenizer, { maxChars, maxEntries = 1_000 }: MemoOptions): Tokenizer {
  let counts = new Map<string, number>();
  let chars = 0;
  const countPieces = tokenizer.countPieces?.bind(tokenizer);
  return {
    ...(tokenizer.name === undefined ? {} : { name: tokenizer.name }),
    // Texts too long to cache are counted in pieces by the caller.
    ...(countPieces === undefined ? {} : { countPieces }),
    count(text) {
      const known = counts.get(text);
      if (known !== undefined) return known;
      const count = tokenizer.count(text);
      if (text.length > maxChars || maxEntries < 1) return count;
      if (chars + text.length > maxChars || counts.size >= maxEntries) {
        // Replaced instead of cleared: V8 keeps the old table of a Map until the next full collection.
        counts = new Map();
        chars = 0;
      }
      counts.set(text, count);
      chars += text.length;
      return count;
    },
  };
}
