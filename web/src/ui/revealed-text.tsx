/** Characters without a width or a shape: the soft hyphen, spaces and marks of no width, bidi controls, fillers, tags. */
const INVISIBLE_CHARACTERS = [
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e",
  "\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
].join("");

/** Joiners belong to many scripts and to emoji; after these letters they only hide. */
const HIDDEN_JOINERS = "(?<=[\\x20-\\x7e\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}])[\\u200c\\u200d]";

/** All of these, controls but tab and line feed, and halves of pairs. */
const HIDDEN = `(?![\\t\\n])\\p{Cc}|[${INVISIBLE_CHARACTERS}]|${HIDDEN_JOINERS}|\\p{Cs}`;
const EACH_HIDDEN = new RegExp(HIDDEN, "gu");
const HIDDEN_RUNS = new RegExp(`((?:${HIDDEN})+)`, "gu");

/**
 * A text in which nothing is hidden: escapes, overrides of the reading order and characters without width become marks
 * that can be seen. Everything else stays as it is.
 * @example
 * revealText("\u001b[31mred\u202e"); // "⟨ESC⟩[31mred⟨U+202E⟩"
 */
export function revealText(text: string): string {
  return normalizeLineEnds(text).replace(EACH_HIDDEN, formatHiddenCharacter);
}

/** The same for a name or an id, in one line. */
export function revealLine(text: string): string {
  return revealText(text).replace(/[\n\t]/g, formatHiddenCharacter);
}

/** A piece of a text: as it is, or marks for what cannot be seen. */
interface RevealedPart {
  readonly text: string;
  readonly isMark: boolean;
}

/**
 * The same text in pieces, so that marks can be told from what was written.
 * @example
 * revealParts("a\u001b["); // [{ text: "a", isMark: false }, { text: "⟨ESC⟩", isMark: true }, { text: "[", isMark: false }]
 */
export function revealParts(text: string): RevealedPart[] {
  // Split by a group, every second piece is what the group matched.
  const pieces = normalizeLineEnds(text).split(HIDDEN_RUNS);
  return pieces.flatMap((piece, place) => {
    const isMark = place % 2 === 1;
    return piece === ""
      ? []
      : [{ text: isMark ? piece.replace(EACH_CHARACTER, formatHiddenCharacter) : piece, isMark }];
  });
}

/** Within a run of marked characters, each is one. */
const EACH_CHARACTER = /[\s\S]/gu;

function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n/g, "\n");
}

const CONTROL_NAMES =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " ",
  );

/** The oldest controls have names that people know; others go by their number. Pictures of them are in few fonts. */
function formatHiddenCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = code === 0x7f ? "DEL" : CONTROL_NAMES[code];
  return `⟨${name ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}⟩`;
}

/** A browser takes long to lay out very many pieces: where there are more marks than this, they look like the text. */
const MAX_MARKS = 2000;

/** A text in which nothing is hidden; what stands for a hidden character is drawn quietly, so that it is not taken for text. */
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
