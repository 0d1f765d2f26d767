/** Characters that control a terminal or change the reading order: control characters except tab and line feed, and bidi controls. */
const CONTROL_CHARACTERS = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes text safe to print. Titles, names, ids and messages come from files and models: an escape sequence could clear the
 * screen, rename the window or hide text.
 * @example
 * replaceControlCharacters("\u001b[2Jdone"); // "�[2Jdone"
 */
export function replaceControlCharacters(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(CONTROL_CHARACTERS, "\ufffd");
}
