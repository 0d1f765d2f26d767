/**
 * Counts the tokens of a text.
 * @example
 * const words: Tokenizer = { name: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
 */
export interface Tokenizer {
  readonly name?: string;
  count(text: string): number;
}
