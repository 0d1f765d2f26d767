/** Everything that steers a terminal or turns the reading order around: controls but tab and line feed, bidi controls. */
const STEERING = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text that only shows when it is printed. Titles, names, ids and messages come from files and models, and one with
 * an escape sequence in it could clear the screen, rename the window or show other words than it holds.
 * @example
 * printable("\u001b[2Jdone"); // "�[2Jdone"
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(STEERING, "\ufffd");
}
