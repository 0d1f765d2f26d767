import { setImmediate as turn } from "node:timers/promises";

/** Python's `string.punctuation`, as the SQuAD script strips it. */
const PUNCTUATION = /[!-/:-@[-`{-~]+/g;
/** `\b(a|an|the)\b` with Python's word boundaries, which include letters beyond ASCII. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:an?|the)(?![\p{L}\p{N}_])/gu;
const SPACES = /\s+/g;

/**
 * How much of a text counts: "words" is SQuAD's normalization; "articles" keeps a, an and the; "all" keeps punctuation
 * too. The latter two are for gold answers such as "A" or "+", of which SQuAD's normalization would leave nothing.
 */
export type NormalizeDetail = "words" | "articles" | "all";

/**
 * Normalizes a text as the SQuAD v1.1 script does: lower case, without ASCII punctuation, without articles, white space
 * collapsed, in that order.
 * @example
 * normalizeAnswer("The U.S.A.!"); // "usa"
 */
export function normalizeAnswer(text: string, detail: NormalizeDetail = "words"): string {
  if (text.length <= PIECE_CHARS) return normalizeWhole(text, detail);
  const pieces = Array.from(cutAtSpaces(text), (piece) => normalizeWhole(piece, detail));
  return joinWords(pieces);
}

/** The same, but yields after each piece: a hundred megabytes take seconds. */
export async function normalizeAnswerAsync(text: string, detail: NormalizeDetail): Promise<string> {
  const pieces: string[] = [];
  for (const piece of cutAtSpaces(text)) {
    pieces.push(normalizeWhole(piece, detail));
    await turn();
  }
  return joinWords(pieces);
}

function joinWords(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== "").join(" ");
}

/** Joining words takes several times their memory until it is done: more than a gigabyte for a hundred megabytes. */
const PIECE_CHARS = 1 << 16;

/** Pieces end at white space, so that no word or article is split. */
function* cutAtSpaces(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > PIECE_CHARS) {
    SPACE_AHEAD.lastIndex = start + PIECE_CHARS;
    const space = SPACE_AHEAD.exec(text);
    if (space === null) break;
    yield text.slice(start, space.index);
    start = space.index;
  }
  yield text.slice(start);
}

const SPACE_AHEAD = /\s/g;

function normalizeWhole(text: string, detail: NormalizeDetail): string {
  const lower = text.toLowerCase();
  if (detail === "all") return collapseSpaces(lower);
  if (detail === "articles") return collapseSpaces(lower.replace(PUNCTUATION, ""));
  return normalizeAscii(lower) ?? collapseSpaces(lower.replace(PUNCTUATION, "").replace(ARTICLES, " "));
}

function collapseSpaces(text: string): string {
  return text.replace(SPACES, " ").trim();
}

/**
 * The same in one pass for printable ASCII; null for other text.
 * Text that is already normalized is returned without a copy, since millions of scores are computed.
 */
function normalizeAscii(lower: string): string | null {
  let result = "";
  /** Up to here the text needs no change and is not yet in the result. */
  let copied = 0;
  let wordStart = 0;
  let punctuated = false;
  for (let i = 0; i <= lower.length; i++) {
    const kind = i === lower.length ? SPACE : (KINDS[lower.charCodeAt(i)] ?? OTHER);
    if (kind === OTHER) return null;
    if (kind === PUNCT) punctuated = true;
    if (kind !== SPACE) continue;
    if (punctuated || isEmptyOrArticle(lower, wordStart, i)) {
      const bare = lower.slice(wordStart, i).replace(PUNCTUATION, "");
      result += lower.slice(copied, wordStart);
      if (!isEmptyOrArticle(bare, 0, bare.length)) result += `${bare} `;
      copied = i + 1;
      punctuated = false;
    } else if (i < lower.length && lower.charCodeAt(i) !== 32) {
      result += `${lower.slice(copied, i)} `;
      copied = i + 1;
    }
    wordStart = i + 1;
  }
  if (copied === 0) return lower;
  return (result + lower.slice(copied)).trimEnd();
}

function isEmptyOrArticle(text: string, start: number, end: number): boolean {
  if (end - start > 3) return false;
  if (end === start) return true;
  return (text.startsWith("the", start) && end - start === 3) || isIndefiniteArticle(text, start, end);
}

function isIndefiniteArticle(text: string, start: number, end: number): boolean {
  return (
    text.charCodeAt(start) === 97 && (end - start === 1 || (end - start === 2 && text.charCodeAt(start + 1) === 110))
  );
}

const OTHER = 0;
const SPACE = 1;
const PUNCT = 2;
const PLAIN = 3;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (" \t\n\r\f\v".includes(character)) return SPACE;
  if (/[a-z0-9]/.test(character)) return PLAIN;
  return code > 32 && code < 127 ? PUNCT : OTHER;
});
