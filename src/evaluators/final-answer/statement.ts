import { withoutThinking } from "../thinking.js";

/** "answer is", "answer to the question would be", "Answer:"; the marks of bold text may stand between. */
const LEAD =
  /\banswer\b[*_"')\]]{0,4}(?:\s{1,3}to\b[^.\n:]{0,80}?)?\s{0,3}(?:[:：]|\b(?:is|would be|should be|must be|will be)\b)/gi;
/** A heading of its own: "### Final Answer". */
const HEADING = /(?:^|\n)[ \t#*_]{0,10}(?:final |correct |my |the ){0,2}answer[ \t*_]{0,6}\r?\n/gi;
const BOXED = "\\boxed";
/** Between a lead and its answer. No minus, which may belong to a number, and no mark that opens a bold answer. */
const FILLING = /^(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|therefore\b|thus\b|then\b|clearly\b|hence\b)+/i;
/** A base model goes on with the next question of its prompt. "Question:" may also be the one it answers, repeated. */
const NEXT_Q = /\n[ \t]*Q:/;
const NEXT_QUESTION = /\n[ \t]*Question:/;
const FEW_WORDS = 3;

/** Where a response says what its answer is. */
export interface Statement {
  /** From the answer on, to the end of the response. */
  rest: string;
  /** False when nothing was announced and the response is taken as it is. */
  isExplicit: boolean;
}

/** The part of a response that answers the question that was asked: no thoughts, no further questions. */
export function ownPart(response: string): string {
  const text = withoutThinking(response).trimStart();
  const q = text.search(NEXT_Q);
  const cut = q === -1 ? text : text.slice(0, q);
  const question = cut.search(NEXT_QUESTION);
  if (question === -1) return cut;
  const before = cut.slice(0, question);
  return lastLead(before) !== -1 || before.trim().split(/\s+/).length <= FEW_WORDS ? before : cut;
}

/**
 * What follows the last "answer is", "answer:" or \boxed of a text; the whole text when it announces nothing.
 * @example
 * statementIn("One and two is three. So the answer is 3."); // { rest: "3.", isExplicit: true }
 */
export function statementIn(text: string): Statement {
  const lead = lastLead(text);
  const boxed = text.lastIndexOf(BOXED);
  if (lead === -1 && boxed === -1) return { rest: text, isExplicit: false };
  const rest = boxed > lead ? text.slice(boxed) : text.slice(lead).replace(FILLING, "");
  return { rest, isExplicit: true };
}

/** Where the last announcement that is followed by something ends; -1 when there is none. */
function lastLead(text: string): number {
  return Math.max(lastEnd(text, LEAD), lastEnd(text, HEADING));
}

function lastEnd(text: string, pattern: RegExp): number {
  const last = text.trimEnd().length;
  let end = -1;
  for (const match of text.matchAll(pattern)) {
    const after = match.index + match[0].length;
    if (after < last) end = after;
  }
  return end;
}
