import { isSpaceAt, lengthWithoutEnd, skipSpaces } from "./python-text.js";
import { hasSentenceEnd } from "./sentence-tokens.js";

/** From the first character to the one after the last. */
type Span = readonly [start: number, end: number];

const ENDS = /[.?!]/g;
/** What may follow a sentence's end without white space between. */
const AFTER_END = ")\";}]*:@'({[?!";
const CLOSERS = "\"')]}";
const ASCII_SPACES = " \t\n\r\v\f";

/** A mark that may end a sentence: its place, what follows it, and where the next word begins when there is space between. */
interface Mark {
  readonly place: number;
  readonly after: string;
  readonly nextWord: number | null;
}

/**
 * The sentences of an English text, as the official grader's splitter (Punkt in NLTK 3.8) finds them.
 * @example
 * sentenceSpans("Dr. Who? Yes."); // [[0, 8], [9, 13]]
 */
export function sentenceSpans(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const [mark, piece] of pieces(text)) {
    if (!hasSentenceEnd(piece)) continue;
    spans.push([start, mark.place + 1]);
    start = mark.nextWord ?? mark.place + 1;
  }
  spans.push([start, Math.max(start, lengthWithoutEnd(text))]);
  return withClosers(text, spans);
}

function* marks(text: string): Iterable<Mark> {
  for (const { index: place } of text.matchAll(ENDS)) {
    const next = text[place + 1];
    if (next === undefined) return;
    if (AFTER_END.includes(next)) yield { place, after: next, nextWord: null };
    else if (isSpaceAt(text, place + 1)) {
      const nextWord = skipSpaces(text, place + 1);
      if (nextWord < text.length) yield { place, after: text.slice(place + 1, wordEnd(text, nextWord)), nextWord };
    }
  }
}

function wordEnd(text: string, from: number): number {
  let place = from;
  while (place < text.length && !isSpaceAt(text, place)) place += 1;
  return place;
}

/** Each mark with the word before it and what follows; of several marks in one word only the last. */
function* pieces(text: string): Iterable<[Mark, string]> {
  let held: Mark | null = null;
  let start = 0;
  let end = 0;
  for (const mark of marks(text)) {
    const space = lastAsciiSpace(text, end, mark.place);
    const wordStart = space > end ? space + 1 : start;
    if (held !== null && end <= wordStart) yield [held, text.slice(start, end + 1) + held.after];
    held = mark;
    start = wordStart;
    end = mark.place;
  }
  if (held !== null) yield [held, text.slice(start, end + 1) + held.after];
}

/** The place of the last white space of ASCII between these places, or one before the first when there is none. */
function lastAsciiSpace(text: string, from: number, to: number): number {
  for (let place = to - 1; place >= from; place--) if (ASCII_SPACES.includes(text.charAt(place))) return place;
  return from - 1;
}

/** Moves closing quotes and brackets from the beginning of a sentence to the end of the one before it. */
function withClosers(text: string, spans: readonly Span[]): Span[] {
  const moved: Span[] = [];
  let skipped = 0;
  for (const [place, [first, end]] of spans.entries()) {
    const start = first + skipped;
    const next = spans[place + 1];
    const closers = next === undefined ? null : closersAt(text, next);
    skipped = closers?.length ?? 0;
    if (closers !== null) moved.push([start, closers.end]);
    else if (start < end) moved.push([start, end]);
  }
  return moved;
}

/** The closers that a sentence begins with, when nothing but white space, a dash or the end follows them. */
function closersAt(text: string, [start, end]: Span): { end: number; length: number } | null {
  let place = start;
  while (place < end && CLOSERS.includes(text.charAt(place))) place += 1;
  if (place === start) return null;
  const isEnd = place === end || isSpaceAt(text, place);
  if (!isEnd) return text.startsWith("--", place) && place + 2 <= end ? { end: place, length: place - start } : null;
  return { end: place, length: Math.min(skipSpaces(text, place), end) - start };
}
