/**
 * Counts the tokens of a text.
 * @example
 * const words: Tokenizer = { name: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
 */
export interface Tokenizer {
  readonly name?: string;
  count(text: string): number;
  /**
   * The tokens of a long text, piece by piece: they add up to its count, and other work has its turn between two of
   * them. Left out, every text is counted at once.
   */
  countPieces?(text: string): Iterable<number>;
}
