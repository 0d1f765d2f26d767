/** How much of the end of a text is looked at. */
const TAIL = 1000;
/** Words and the ends of sentences, which no formula goes over; the names of commands are no words. */
const WORD = /(?<![\\\p{L}])\p{L}{2,}|[.!?]\s|\n\s*\n/gu;
const WORD_OR_CLAUSE = /(?<![\\\p{L}])\p{L}{2,}|[.!?,;:]\s|\n\s*\n/gu;
/** Brackets that only surround an answer: what they hold is whole when it is a number. */
const SURROUNDING = /(?:\\(?:boxed|fbox|framebox|text|textbf|mathbf|boldsymbol|mathrm)\s?|^|[\s$*:=]|\\)$/;
const PLAIN_NUMBER = /^[\s$\\*]*-?\d(?:[\d,]*\d)?(?:\.\d+)?[\s$.*%]*$/;
const BOX = /\\(?:boxed|fbox|framebox)\s?$/;
/** A calculation that lacks its next number. A star without a space before it may be the end of a text in italics. */
const OPEN_CALCULATION = /[\d)}\]](?:[ \t]*(?:[+×÷/^=]|\\(?:times|cdot|div)|(?<=[ \t])[-–*])[ \t]*)\s*$/;

/**
 * A text without the formula that it was cut off in, whose numbers answer nothing: "The answer is $\\frac{1}{3", "So she
 * has 9 +". A number alone in a bracket that was not closed, `\\boxed{18`, is kept.
 */
export function withoutCutFormula(text: string): string {
  const from = Math.max(0, text.length - TAIL);
  const tail = text.slice(from);
  const cut = OPEN_CALCULATION.test(tail) ? tail.length : findOpenBracket(tail);
  if (cut === -1) return text;
  const before = tail.slice(0, cut);
  return text.slice(0, from + (BOX.exec(before)?.index ?? endOfLast(before, WORD_OR_CLAUSE)));
}

/** Where the outermost bracket opens that mathematics follows and nothing closes; -1 when there is none. */
function findOpenBracket(tail: string): number {
  let depth = 0;
  let found = -1;
  const first = endOfLast(tail, WORD);
  for (let at = tail.length - 1; at >= first; at--) {
    const character = tail[at] ?? "";
    if (")]}".includes(character)) depth += 1;
    else if ("([{".includes(character)) depth -= 1;
    if (depth >= 0) continue;
    depth = 0;
    if (!isSurrounding(tail, at)) found = at;
  }
  return found;
}

function isSurrounding(tail: string, at: number): boolean {
  return SURROUNDING.test(tail.slice(Math.max(0, at - 14), at)) && PLAIN_NUMBER.test(tail.slice(at + 1));
}

function endOfLast(text: string, pattern: RegExp): number {
  const last = [...text.matchAll(pattern)].at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}
