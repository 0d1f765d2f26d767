import { answersIn } from "./answering.js";
import { latexCharacters, plainText } from "./characters.js";
import { quantitiesIn } from "./quantities.js";
import type { Rational } from "./rational.js";

const TEXT = /\\(?:text|textbf|textit|textrm|textnormal|mbox|hbox|mathrm|operatorname)\s*\{([^{}]*)\}/g;
/** What no words beside a number have in them. */
const MATHS = /[\\^_+*=<>|{}[\]]|(?<![a-zA-Z'])[a-zA-Z](?![a-zA-Z.])|^!|^\s*[/-]\s*\d/;
/** The day of a date is no number by itself. */
const DATE = /\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}\b/;
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
  const [number, another] = quantitiesIn(words);
  if (number === undefined || another !== undefined || number.isFormula) return [];
  if (answersIn(words).length === 0 || DATE.test(words)) return [];
  const isFormula = MATHS.test(words.slice(0, number.from)) || MATHS.test(words.slice(number.end));
  return isFormula ? [] : number.values;
}
