/** Python takes all of these for one letter when case does not matter; JavaScript does so only for the first two. */
const ANY_I = "[iI\\u0130\\u0131]";
const IS_I = /^[iI\u0130\u0131]$/;

/**
 * The source of a pattern that finds this text, for the flag u. The official grader takes the text itself for a
 * pattern; here only its dot keeps that meaning, any character, so that "C++" is found and nothing can take for ever.
 */
export function patternOf(text: string): string {
  return [...text].map(patternOfCharacter).join("");
}

/** The same for the flags i and u. */
export function caselessPatternOf(text: string): string {
  return [...text].map((character) => (IS_I.test(character) ? ANY_I : patternOfCharacter(character))).join("");
}

function patternOfCharacter(character: string): string {
  if (character === ".") return "[^\\n]";
  return /[\\^$*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
