import type { Quantity } from "./quantities.js";
import type { Rational } from "./rational.js";

/** How an answer was found in a response, in words for people. */
export type Source = "box" | "####" | "stated" | "last number" | "last formula" | "last line" | "whole text";

/** The answer of a response. */
export interface Answer {
  readonly text: string;
  readonly source: Source;
  /** What it may mean when it was read as a number; absent for an answer that is still to be read. */
  readonly values?: readonly Rational[];
  readonly isPercent?: boolean;
}

/** A number as an answer; a formula is compared as a whole, so that it has no values. */
export function answerOf({ text, values, isFormula, isPercent }: Quantity, source: Source): Answer {
  return isFormula ? { text, source } : { text, source, values, isPercent };
}
