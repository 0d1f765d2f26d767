import { answersIn } from "./answering.js";
import { latexCharacters, plainText } from "./characters.js";
import type { TokenOptions } from "./number-token.js";
import { quantitiesIn } from "./quantities.js";
import type { Rational } from "./rational.js";
import { isUnknown } from "./refusal.js";

const TEXT = /\\(?:text|textbf|textit|textrm|textnormal|mbox|hbox|mathrm|operatorname)\s*\{([^{}]*)\}/g;
/** What no words beside a number have in them. */
export const MATHS = /[\\^_+*=<>|{}[\]]|(?<![a-zA-Z'])[a-zA-Z](?![a-zA-Z.])|^!|^\s*[/-]\s*\d/;
/** The day of a date is no number by itself. */
const DATE = /\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}\b/;
const MAX_LENGTH = 300;

/**
 * What the one number of a short phrase may mean: "24 clips", "\$18 \text{ per day}", "x = 24 \text{ cm}". Nothing for
 * a phrase with several numbers, or with formulas in it.
 */
export function onlyNumber(phrase: string, options: TokenOptions = {}): readonly Rational[] {
  if (phrase.length > MAX_LENGTH) return [];
  const words = wordsOf(phrase).replace(/\\?[$%]/g, " ");
  const [number, another] = quantitiesIn(words, options);
  if (number === undefined || another !== undefined || number.isFormula) return [];
  if (answersIn(words).length === 0 || DATE.test(words) || isUnknown(words)) return [];
  const isFormula = MATHS.test(words.slice(0, number.from)) || MATHS.test(words.slice(number.end));
  return isFormula ? [] : number.values;
}

/** A phrase in LaTeX as plain words. */
export function wordsOf(phrase: string): string {
  return latexCharacters(plainText(phrase))
    .replace(TEXT, " $1 ")
    .replace(/\\[,;:! ]|\*\*|~/g, " ")
    .replace(/\s+/g, " ");
}
