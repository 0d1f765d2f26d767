/**
 * Counts the tokens of a text.
 * @example
 * const words: Tokenizer = { name: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
 */
export interface Tokenizer {
  readonly name?: string;
  /** Texts of up to this many characters are counted faster than they are remembered; none unless given. */
  readonly quickUpTo?: number;
  count(text: string): number;
}
