/**
 * Quotes a word for the shell.
 * @example
 * quoteShellWord("it's"); // "'it'\\''s'"
 */
export function quoteShellWord(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
