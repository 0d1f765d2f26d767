import type { NumberToken } from "./number-token.js";
import type { Rational } from "./rational.js";

/** How an answer was found in a response, in words for people. */
export type Source = "box" | "####" | "stated" | "last number" | "last formula" | "last line" | "whole text";

/** The answer of a response. */
export interface Answer {
  readonly text: string;
  readonly source: Source;
  /** What it may mean when it was read as a number; absent for an answer that is still to be read. */
  readonly values?: readonly Rational[];
}

export function numberAnswer({ text, values }: Pick<NumberToken, "text" | "values">, source: Source): Answer {
  return { text, source, values };
}
