/**
 * Counts the tokens of a text.
 * @example
 * const words: Tokenizer = { name: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
 */
export interface Tokenizer {
  readonly name?: string;
  count(text: string): number;
  /**
   * Counts a long text in pieces that add up to its count, so that other work can run in between. Without it, every text
   * is counted at once.
   */
  countPieces?(text: string): Iterable<number>;
}
