/** The position of a sentence in the text, without surrounding white space. */
export interface Sentence {
  readonly start: number;
  readonly end: number;
}

const TERMINATORS = new Set([".", "!", "?", "…", "。", "！", "？"]);
/** End a sentence even without white space after them. */
const WIDE_TERMINATORS = new Set(["。", "！", "？"]);
const CLOSERS = new Set(['"', "'", ")", "]", "}", "”", "’", "»", "」", "』"]);
/** A line that ends with one of these continues on the next. */
const CONTINUING = new Set([",", "-", "–"]);
/** Rarely the last word of a sentence. */
const ABBREVIATIONS = toWordSet(
  "mr mrs ms dr prof rev gen col capt lt sgt hon st mt ft e.g i.e cf vs viz inc ltd co corp dept u.s u.k u.n e.u d.c",
);
/** Abbreviations only before a number, otherwise words: "No. 5", but "He said no. Then". */
const BEFORE_NUMBERS = toWordSet(
  "no nos vol vols p pp fig figs eq ch sec art ca c approx v jan feb mar apr jun jul aug sep",
);
const MAX_ABBREVIATION_LENGTH = 6;
const SPACE = /\s/;
const LOWERCASE = /\p{Ll}/u;
const INITIAL = /^\p{Lu}$/u;
const DIGIT = /\d/;

/**
 * Splits a text into sentences. A full stop ends one unless it belongs to an abbreviation, an initial or a number, or a
 * lowercase word follows; a line break ends one unless the line clearly continues; a blank line always does.
 * @example
 * splitSentences("Dr. Ito paid 3.50. Why?").length; // 2
 */
export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = skipSpace(text, 0);
  let at = start;
  while (at < text.length) {
    const end = findCandidateEnd(text, at);
    const next = skipSpace(text, end);
    if (next >= text.length || isBoundary(text, { start, end, next })) {
      sentences.push({ start, end });
      start = next;
    }
    at = next;
  }
  return sentences;
}

/**
 * Joins the chosen sentences in order. Where sentences between two of them are dropped, the widest gap is kept, so that
 * headings and paragraphs stay separate and the result splits into the same sentences again.
 */
export function joinSentences(
  text: string,
  sentences: readonly Sentence[],
  isKept: (index: number) => boolean,
): string {
  let joined = "";
  let previousEnd = -1;
  let gap: Gap = 0;
  for (const [index, { start, end }] of sentences.entries()) {
    const before = sentences[index - 1];
    if (before !== undefined) gap = Math.max(gap, measureGap(text, before.end, start)) as Gap;
    if (!isKept(index)) continue;
    if (previousEnd !== -1)
      joined += before?.end === previousEnd ? text.slice(previousEnd, start) : GAPS[widenGap(text, start, gap)];
    joined += text.slice(start, end);
    previousEnd = end;
    gap = 0;
  }
  return joined;
}

/** A sentence that begins with a terminator would be read as the end of the sentence before it. */
function widenGap(text: string, start: number, gap: Gap): Gap {
  const first = text.charAt(start);
  return gap === 0 && (TERMINATORS.has(first) || CLOSERS.has(first)) ? 1 : gap;
}

const GAPS = ["", " ", "\n", "\n\n"] as const;
type Gap = 0 | 1 | 2 | 3;

/** The gap between two sentences: nothing, white space, a line break, or a blank line. */
function measureGap(text: string, end: number, next: number): Gap {
  if (end === next) return 0;
  // Scans only the gap: indexOf would search up to the next line break, possibly through the whole text.
  let breaks = 0;
  for (let i = end; i < next && breaks < 2; i++) if (text.charAt(i) === "\n") breaks += 1;
  return (breaks + 1) as Gap;
}

/** The next position after `at` where a sentence may end: after a terminator and its closers, or before a line break. */
function findCandidateEnd(text: string, at: number): number {
  for (let i = at; i < text.length; i++) {
    const character = text.charAt(i);
    if (TERMINATORS.has(character)) return skipAll(text, skipAll(text, i, TERMINATORS), CLOSERS);
    if (!SPACE.test(character)) continue;
    const next = skipSpace(text, i);
    if (next >= text.length || measureGap(text, i, next) >= 2) return i;
    i = next - 1;
  }
  return text.length;
}

function isBoundary(text: string, { start, end, next }: { start: number; end: number; next: number }): boolean {
  const gap = measureGap(text, end, next);
  if (gap === 3) return true;
  if (LOWERCASE.test(text.charAt(next))) return false;
  if (gap === 2) return !CONTINUING.has(text.charAt(end - 1));
  const stop = findTerminator(text, start, end);
  if (stop === -1) return false;
  if (gap === 0) return WIDE_TERMINATORS.has(text.charAt(stop));
  return text.charAt(stop) !== "." || !isAbbreviation(findWordBefore(text, start, stop), text.charAt(next));
}

/** The position of the terminator before the closers at `end`, or -1. */
function findTerminator(text: string, start: number, end: number): number {
  let i = end - 1;
  while (i >= start && CLOSERS.has(text.charAt(i))) i--;
  return i >= start && TERMINATORS.has(text.charAt(i)) ? i : -1;
}

/** The word that ends at `stop`; of a longer word, just enough to exceed every abbreviation. */
function findWordBefore(text: string, start: number, stop: number): string {
  let i = stop;
  while (i > start && stop - i <= MAX_ABBREVIATION_LENGTH && /[\p{L}\p{N}.]/u.test(text.charAt(i - 1))) i--;
  return text.slice(i, stop);
}

function isAbbreviation(word: string, next: string): boolean {
  const lower = word.toLowerCase();
  return INITIAL.test(word) || ABBREVIATIONS.has(lower) || (DIGIT.test(next) && BEFORE_NUMBERS.has(lower));
}

function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && SPACE.test(text.charAt(i))) i++;
  return i;
}

function skipAll(text: string, at: number, characters: ReadonlySet<string>): number {
  let i = at;
  while (i < text.length && characters.has(text.charAt(i))) i++;
  return i;
}

function toWordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
