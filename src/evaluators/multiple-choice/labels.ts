/** The labels of options: A, B, C … and, if the gold is a number, 1, 2, 3 … too. */
export interface Labels {
  /** Labels beyond this number of options are not answers. */
  count: number;
  isNumbered: boolean;
}

export interface Options extends Labels {
  /** The text of each option; empty if only letters are known. */
  texts: readonly string[];
  /** Whether an answer must name its letter: the text of an option alone does not count. */
  isLetterRequired?: boolean;
}

const A = "A".charCodeAt(0);
/** There are no labels after Z. */
export const MOST_OPTIONS = 26;

/** Returns the index of the option, or -1 if there is none. */
export function indexOfLabel(label: string, { count, isNumbered }: Labels): number {
  const isNumber = /^\d{1,2}$/.test(label);
  if (isNumber && !isNumbered) return -1;
  const index = isNumber ? Number(label) - 1 : letterIndex(label);
  return index >= 0 && index < count ? index : -1;
}

/** From 0; -1 for anything else. */
export function letterIndex(letter: string): number {
  return /^[a-z]$/i.test(letter) ? letter.toUpperCase().charCodeAt(0) - A : -1;
}

export function letterOf(index: number): string {
  return String.fromCharCode(A + index);
}
