import { BLANK, type CharacterClasses, LETTER, MARK, NEWLINE, NUMBER, WHITESPACE } from "./classes.js";

/** How long pieces are and how far a place to cut is looked for, in characters. */
export interface CutSizes {
  readonly piece: number;
  readonly longest: number;
}

/** Counting a piece takes some milliseconds. Merging a single word takes 20 bytes for each of its own. */
export const CUT_SIZES: CutSizes = { piece: 1 << 16, longest: 1 << 20 };

const APOSTROPHE = 0x27;
const SLASH = 0x2f;

/**
 * Cuts a text into pieces whose tokens add up to its own. Only what has no place to cut for a million characters, such
 * as a single endless word, is cut anywhere, which may add a token.
 */
export function* cutText(text: string, classes: CharacterClasses, sizes: CutSizes = CUT_SIZES): Generator<string> {
  const { piece } = sizes;
  let start = 0;
  while (text.length - start > piece) {
    const end = findCut(text, start, classes, sizes);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

/** The last place in reach of a piece, else the first one behind it. */
function findCut(text: string, start: number, classes: CharacterClasses, { piece, longest }: CutSizes): number {
  for (let i = start + piece; i > start; i--) if (isCut(text, i, classes)) return i;
  const limit = Math.min(text.length, start + longest);
  for (let i = start + piece + 1; i < limit; i++) if (isCut(text, i, classes)) return i;
  return isPair(text, limit) ? limit - 1 : limit;
}

/**
 * Whether a pre-token of either encoding ends before this character, whatever stands around the two: then no pattern
 * reads beyond it, either. Half a character is never taken for one.
 */
function isCut(text: string, at: number, classes: CharacterClasses): boolean {
  const [left, right] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (isSurrogate(left) || isSurrogate(right)) return false;
  const [before, after] = [classes.of(left), classes.of(right)];
  if (after & BLANK) return (before & WHITESPACE) === 0;
  if (before & NUMBER) return (after & NUMBER) === 0;
  if (before & LETTER) return (after & (LETTER | MARK)) === 0 && right !== APOSTROPHE;
  return (before & NEWLINE) !== 0 && (after & WHITESPACE) === 0 && right !== SLASH;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

/** Whether the two halves of one character stand around this place. */
function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
