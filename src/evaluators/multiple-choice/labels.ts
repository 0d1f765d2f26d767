/** The labels that options go by: A, B, C … and, where the gold is a number, 1, 2, 3 … too. */
export interface Labels {
  /** How many options there are; a label beyond them is no answer. */
  count: number;
  isNumbered: boolean;
}

/** The options of a question. */
export interface Options extends Labels {
  /** The text of each, empty when only their letters are known. */
  texts: readonly string[];
  /** Whether an answer must name its letter: the text of an option alone chooses nothing. */
  isLetterRequired?: boolean;
}

const A = "A".charCodeAt(0);
/** There are no labels after Z. */
export const MOST_OPTIONS = 26;

/** The place of a label among the options, from 0; -1 when there is no such option. */
export function indexOfLabel(label: string, { count, isNumbered }: Labels): number {
  const isNumber = /^\d{1,2}$/.test(label);
  if (isNumber && !isNumbered) return -1;
  const index = isNumber ? Number(label) - 1 : letterIndex(label);
  return index >= 0 && index < count ? index : -1;
}

/** The place of a letter in the alphabet, from 0; -1 for anything else. */
export function letterIndex(letter: string): number {
  return /^[a-z]$/i.test(letter) ? letter.toUpperCase().charCodeAt(0) - A : -1;
}

/** The letter of an option. */
export function letterOf(index: number): string {
  return String.fromCharCode(A + index);
}
