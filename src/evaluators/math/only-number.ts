import { latexCharacters, plainText } from "./characters.js";
import { numbersIn } from "./number-token.js";
import type { Rational } from "./rational.js";

const TEXT = /\\(?:text|textbf|textit|textrm|textnormal|mbox|hbox|mathrm|operatorname)\s*\{([^{}]*)\}/g;
const MATHS = /[\\^_+*=<>|{}[\]]|(?<![a-zA-Z'])[a-zA-Z](?![a-zA-Z.])|\d\s*[-/]\s*\d|^!/;
const MAX_LENGTH = 300;

/**
 * What the one number of a short phrase may mean: "24 clips", "\$18 \text{ per day}", "x = 24 \text{ cm}". Nothing for
 * a phrase with several numbers, or with formulas in it.
 */
export function onlyNumber(phrase: string): readonly Rational[] {
  if (phrase.length > MAX_LENGTH) return [];
  const words = latexCharacters(plainText(phrase))
    .replace(TEXT, " $1 ")
    .replace(/\\[,;:! ]|\\?[$%]|\*\*|~/g, " ");
  const last = words.slice(words.lastIndexOf("=") + 1).trim();
  const [number, another] = numbersIn(last);
  if (number === undefined || another !== undefined) return [];
  const isFormula = MATHS.test(last.slice(0, number.start)) || MATHS.test(last.slice(number.end));
  return isFormula ? [] : number.values;
}
