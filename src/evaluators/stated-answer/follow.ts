import type { StatedAnswer } from "./types.js";
import { ASIDE, LINK } from "./words.js";

/** A place that names the answer. */
export interface Noun {
  readonly at: number;
  readonly end: number;
  readonly isFinal: boolean;
}

const MAX_LINKS = 24;
/** Marks that close what the noun stands in: **Answer**, "answer". */
const CLOSING = /[*_"'`)\]]{0,4}/y;
/** Between a verb or colon and its answer. No minus, which may belong to a number, and no mark that opens bold text. */
const MARKS = /(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|```[\w-]{0,20}[ \t]*\n)+/y;
/** The noun alone on its line is a heading. */
const HEADING_LEFT = /(?:^|\n)[ \t#*_>-]{0,10}(?:(?:final|correct|my|the|your)\s){0,2}$/i;
const HEADING_RIGHT = /[ \t*_#]{0,8}\r?\n/y;
const MAX_HEADING = 40;

/** Goes from the noun over verb, colon, remarks and filling words to the answer. */
export function followNoun(text: string, noun: Noun): Pick<StatedAnswer, "from" | "start" | "by"> {
  const aside = skipPattern(ASIDE, text, noun.end);
  const closed = aside > noun.end ? aside : skipPattern(CLOSING, text, noun.end);
  const isVerbSkipped = aside > noun.end && /\p{L}$/u.test(text.slice(noun.end, aside));
  let by: StatedAnswer["by"] = isVerbSkipped ? "verb" : "space";
  let from = closed;
  let start = aside;
  let isOpen = true;
  for (let step = 0; step < MAX_LINKS; step++) {
    LINK.lastIndex = start;
    const match = LINK.exec(text);
    if (match === null) break;
    const { copula, colon } = match.groups ?? {};
    const isLinking = copula !== undefined || colon !== undefined;
    // Words of the answer may look like links: only what directly continues "is" or ":" moves its beginning.
    if (isLinking && isOpen && (by === "space" || isBlank(text, from, start))) from = start + match[0].length;
    if (colon !== undefined) isOpen = false;
    if (copula !== undefined && by === "space") by = "verb";
    else if (colon !== undefined && by === "space") by = "colon";
    start += match[0].length;
  }
  if (by === "space" && isHeading(text, noun)) by = "colon";
  from = skipPattern(MARKS, text, from);
  // A text that ends in such words consists of them: "The answer is: are be is".
  const isAnswered = start < text.length || from >= start;
  return { from, start: isAnswered ? Math.max(from, start) : from, by };
}

function isBlank(text: string, from: number, to: number): boolean {
  return to - from < 10 && /^[\s*_]*$/.test(text.slice(from, to));
}

function isHeading(text: string, { at, end }: Noun): boolean {
  return (
    skipPattern(HEADING_RIGHT, text, end) > end && HEADING_LEFT.test(text.slice(Math.max(0, at - MAX_HEADING), at))
  );
}

/** Past a sticky pattern; the same place when it does not match there. */
export function skipPattern(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
