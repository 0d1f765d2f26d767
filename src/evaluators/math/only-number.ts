import { latexCharacters, plainText } from "./characters.js";
import { numbersIn } from "./number-token.js";
import type { Rational } from "./rational.js";

const TEXT = /\\(?:text|textbf|textit|textrm|textnormal|mbox|hbox|mathrm|operatorname)\s*\{([^{}]*)\}/g;
const MATHS = /[\\^_+*=<>|{}[\]]|(?<![a-zA-Z'])[a-zA-Z](?![a-zA-Z.])|\d\s*[-/]\s*\d|^!/;
const MAX_LENGTH = 300;
/** A number and a mark of a list behind it, "x = 1 or x = 2"; the comma of thousands is none. */
const SEVERAL = /\d[^=]{0,40}?(?:,(?!\d{3})|;|\bor\b|\band\b)/;

/**
 * What the one number of a short phrase may mean: "24 clips", "\$18 \text{ per day}", "x = 24 \text{ cm}". Nothing for
 * a phrase with several numbers, or with formulas in it.
 */
export function onlyNumber(phrase: string): readonly Rational[] {
  if (phrase.length > MAX_LENGTH) return [];
  const words = latexCharacters(plainText(phrase))
    .replace(TEXT, " $1 ")
    .replace(/\\[,;:! ]|\\?[$%]|\*\*|~/g, " ");
  const [before, last] = atLastEquals(words);
  if (SEVERAL.test(before)) return [];
  const [number, another] = numbersIn(last);
  if (number === undefined || another !== undefined) return [];
  const isFormula = MATHS.test(last.slice(0, number.start)) || MATHS.test(last.slice(number.end));
  return isFormula ? [] : number.values;
}

function atLastEquals(words: string): [before: string, last: string] {
  const at = words.lastIndexOf("=");
  return [words.slice(0, at + 1), words.slice(at + 1).trim()];
}
