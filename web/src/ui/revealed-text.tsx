/** Characters without width or shape: soft hyphen, zero-width spaces and marks, bidi controls, fillers, tags. */
const INVISIBLE_CHARACTERS = [
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e",
  "\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
].join("");

/** Joiners belong to many scripts and to emoji; after these letters they are invisible. */
const HIDDEN_JOINERS = "(?<=[\\x20-\\x7e\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}])[\\u200c\\u200d]";

/** All of these, control characters except tab and line feed, and lone surrogates. */
const HIDDEN = `(?![\\t\\n])\\p{Cc}|[${INVISIBLE_CHARACTERS}]|${HIDDEN_JOINERS}|\\p{Cs}`;
const EACH_HIDDEN = new RegExp(HIDDEN, "gu");
const HIDDEN_RUNS = new RegExp(`((?:${HIDDEN})+)`, "gu");

/**
 * Replaces hidden characters by visible marks: escapes, changes of the reading order, and characters without width.
 * Everything else stays.
 * @example
 * revealText("\u001b[31mred\u202e"); // "⟨ESC⟩[31mred⟨U+202E⟩"
 */
export function revealText(text: string): string {
  return normalizeLineEnds(text).replace(EACH_HIDDEN, formatHiddenCharacter);
}

/** For a name or an id, on one line. */
export function revealLine(text: string): string {
  return revealText(text).replace(/[\n\t]/g, formatHiddenCharacter);
}

/** For an excerpt on one line: breaks and indentation become spaces. */
export function joinLines(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Text as it is, or marks for hidden characters. */
interface RevealedPart {
  readonly text: string;
  readonly isMark: boolean;
}

/**
 * In parts, so that marks can be styled.
 * @example
 * revealParts("a\u001b["); // [{ text: "a", isMark: false }, { text: "⟨ESC⟩", isMark: true }, { text: "[", isMark: false }]
 */
export function revealParts(text: string): RevealedPart[] {
  // Split by a group, every second part is a match of the group.
  const pieces = normalizeLineEnds(text).split(HIDDEN_RUNS);
  return pieces.flatMap((piece, place) => {
    const isMark = place % 2 === 1;
    return piece === ""
      ? []
      : [{ text: isMark ? piece.replace(EACH_CHARACTER, formatHiddenCharacter) : piece, isMark }];
  });
}

/** Each character of a run gets its own mark. */
const EACH_CHARACTER = /[\s\S]/gu;

function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n/g, "\n");
}

const CONTROL_NAMES =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " ",
  );

/** ASCII controls have well-known names, others are shown by number. Few fonts have symbols for them. */
function formatHiddenCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = code === 0x7f ? "DEL" : CONTROL_NAMES[code];
  return `⟨${name ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}⟩`;
}

/** With more marks, layout would be slow: they are then drawn as plain text. */
const MAX_MARKS = 2000;

/** Text with visible marks for hidden characters, in a quiet style, so that they are not mistaken for text. */
export function RevealedText({ text }: { text: string }) {
  const parts = revealParts(text);
  if (parts.length > 2 * MAX_MARKS) return <>{parts.map((part) => part.text).join("")}</>;
  return (
    <>
      {parts.map((part, place) =>
        part.isMark ? (
          <span key={place} class="hidden-character">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </>
  );
}
