/** The labels of options: A, B, C … and, if the gold is a number, 1, 2, 3 … too. */
export interface OptionLabels {
  /** Labels beyond this number of options are not answers. */
  count: number;
  isNumbered: boolean;
}

export interface ChoiceOptions extends OptionLabels {
  /** The text of each option; empty if only letters are known. */
  texts: readonly string[];
  /** Whether an answer must name its letter: the text of an option alone does not count. */
  isLetterRequired?: boolean;
}

const A = "A".charCodeAt(0);
/** There are no labels after Z. */
export const MAX_OPTIONS = 26;

/** Returns the index of the option, or -1 if there is none. */
export function findLabelIndex(label: string, { count, isNumbered }: OptionLabels): number {
  const isNumber = /^\d{1,2}$/.test(label);
  if (isNumber && !isNumbered) return -1;
  const index = isNumber ? Number(label) - 1 : toLetterIndex(label);
  return index >= 0 && index < count ? index : -1;
}

/** From 0; -1 for anything else. */
export function toLetterIndex(letter: string): number {
  return /^[a-z]$/i.test(letter) ? letter.toUpperCase().charCodeAt(0) - A : -1;
}

export function toLetter(index: number): string {
  return String.fromCharCode(A + index);
}
