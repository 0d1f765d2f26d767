/** "answer is", "answer to the question would be", "Answer:"; the marks of bold text may stand between. */
const LEAD =
  /\banswer\b[*_"')\]]{0,4}(?:\s{1,3}to\b[^.\n:]{0,80}?)?\s{0,3}(?:[:：]|\b(?:is|would be|should be|must be|will be)\b)/gi;
/** A heading of its own: "### Final Answer". */
const HEADING = /(?:^|\n)[ \t#*_]{0,10}(?:final |correct |my |the ){0,2}answer[ \t*_]{0,6}\r?\n/gi;
const BOXED = /\\boxed/g;
/** Between a lead and its answer. No minus, which may belong to a number, and no mark that opens a bold answer. */
const MARKS = /^(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|```[\w-]{0,20}[ \t]*\n)+/;
const FILLING = /^(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|therefore\b|thus\b|then\b|clearly\b|hence\b)+/i;
/** "I hope this answer is helpful", "if the answer is A", "the wrong answer is": nothing is announced. */
const REFUSED =
  /\b(?:this|that|your|(?:if|whether|hope|hope that|sure|confirm|check|assuming|suppose|supposing)(?: that)? the|wrong|incorrect)(?: final| correct)? $/i;
const NOT = /^not\b/i;
/** "not (A) but (B)", "not A; it is B". */
const CORRECTION = /^not\b[^.\n]{1,80}?(?:\bbut(?: rather)?|[;,] (?:rather|instead|it is|it['’]s))\s+/i;
/** A text that announces more than this is not searched further back. */
const MOST = 40;

/** Where a response says what its answer is. */
export interface Statement {
  /** From the answer on, to the end of the response. Nothing when it only says what the answer is not. */
  rest: string;
  /** The same with the words that may be filling or the beginning of the answer: "thus", "then", "not". */
  full: string;
}

/**
 * What follows each "answer is", "answer:" or \boxed of a text, the last one first; none when it announces nothing.
 * @example
 * statementsIn("One and two is three. So the answer is 3."); // [{ rest: "3.", full: "3." }]
 */
export function statementsIn(text: string): Statement[] {
  const last = text.trimEnd().length;
  const leads = places(text, LEAD, (match) => (isRefused(text, match.index) ? -1 : endOf(match)));
  const all = [...leads, ...places(text, HEADING, endOf), ...places(text, BOXED, ({ index }) => index)];
  const latest = [...new Set(all)].filter((at) => at >= 0 && at < last).sort((a, b) => b - a);
  return latest.slice(0, MOST).map((at) => statementAt(text.slice(at)));
}

function statementAt(after: string): Statement {
  const said = after.replace(MARKS, "");
  const full = said.replace(CORRECTION, "");
  return { rest: NOT.test(full) ? "" : full.replace(FILLING, ""), full };
}

function isRefused(text: string, at: number): boolean {
  return REFUSED.test(text.slice(Math.max(0, at - 40), at));
}

function endOf(match: RegExpExecArray): number {
  return match.index + match[0].length;
}

/** The latest places of a pattern: a megabyte may hold nothing else. */
function places(text: string, pattern: RegExp, place: (match: RegExpExecArray) => number): number[] {
  const found: number[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push(place(match));
    if (found.length > 4 * MOST) found.splice(0, 2 * MOST);
  }
  return found;
}
