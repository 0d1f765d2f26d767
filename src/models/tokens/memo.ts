import type { Tokenizer } from "../../core/tokenizer.js";

/** How much a memo may hold on to. */
export interface MemoOptions {
  /** The characters of all texts kept. */
  readonly maxChars: number;
  /** The number of texts kept. Default: 1,000. */
  readonly maxEntries?: number;
}

/**
 * Counts each distinct text once while it is remembered, because systems see the same prompt again with every trial.
 * When it holds as much as it may, it forgets all and begins anew.
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
    // Whoever counts in pieces counts what is too long to be kept.
    ...(countPieces === undefined ? {} : { countPieces }),
    count(text) {
      const known = counts.get(text);
      if (known !== undefined) return known;
      const count = tokenizer.count(text);
      if (text.length > maxChars || maxEntries < 1) return count;
      if (chars + text.length > maxChars || counts.size >= maxEntries) {
        // Not cleared: V8 keeps the old table of a Map beside its new one until the next full collection.
        counts = new Map();
        chars = 0;
      }
      counts.set(text, count);
      chars += text.length;
      return count;
    },
  };
}
