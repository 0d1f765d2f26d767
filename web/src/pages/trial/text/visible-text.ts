/** Characters without a width or a shape: the soft hyphen, spaces and marks of no width, bidi controls, fillers, tags. */
const WITHOUT_SHAPE = [
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e",
  "\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
].join("");

/** Joiners belong to many scripts and to emoji; after these letters they only hide. */
const JOINED = "(?<=[\\x20-\\x7e\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}])[\\u200c\\u200d]";

/** All of these, controls but tab and line feed, and halves of pairs. */
const UNSEEN = new RegExp(`(?![\\t\\n])\\p{Cc}|[${WITHOUT_SHAPE}]|${JOINED}|\\p{Cs}`, "gu");

/**
 * A text in which nothing is hidden: escapes, overrides of the reading order and characters without width become marks
 * that can be seen. Everything else stays as it is.
 * @example
 * visibleText("\u001b[31mred\u202e"); // "␛[31mred⟨U+202E⟩"
 */
export function visibleText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSEEN, markOf);
}

/** The same for a name or an id, in one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/\n/g, "␊").replace(/\t/g, "␉");
}

/** Unicode has pictures of the oldest controls; others go by their number. */
function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
