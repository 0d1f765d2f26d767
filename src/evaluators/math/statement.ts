import { ASIDE, DRESS, LINK, NOUN, REVERSED } from "./statement-words.js";

/** A place where a text says what the answer is. */
export interface Statement {
  /** Where the answer itself begins. */
  readonly start: number;
  /** What joins the word "answer" to it: a verb, a colon, or nothing but space. */
  readonly by: "verb" | "colon" | "space";
  /** It is said to be the final one. */
  readonly isFinal: boolean;
}

/** A text that says "answer" more often is not searched further back. */
const MAX_STATEMENTS = 100;
const MAX_LINKS = 24;
const MAX_DRESS = 8;

/** The places that name an answer, the last one first. */
export function statementsIn(text: string): Statement[] {
  const nouns: { end: number; isFinal: boolean }[] = [];
  for (const { 0: noun, index, groups } of text.matchAll(NOUN)) {
    nouns.push({ end: index + noun.length, isFinal: groups?.final !== undefined });
    if (nouns.length > 2 * MAX_STATEMENTS) nouns.splice(0, MAX_STATEMENTS);
  }
  return nouns.reverse().map((noun) => followed(text, noun));
}

function followed(text: string, { end, isFinal }: { end: number; isFinal: boolean }): Statement {
  const aside = skip(ASIDE, text, end);
  let start = aside;
  let by: Statement["by"] = aside > end ? "verb" : "space";
  for (let step = 0; step < MAX_LINKS; step++) {
    LINK.lastIndex = start;
    const match = LINK.exec(text);
    if (match === null) break;
    if (match.groups?.copula !== undefined) by = "verb";
    else if (match.groups?.colon !== undefined && by === "space") by = "colon";
    start += match[0].length;
  }
  return { start, by, isFinal };
}

/** Past what only dresses a number: brackets, bold marks, `\text{`, `x =`. */
export function undressed(text: string, start: number): number {
  let at = start;
  for (let step = 0; step < MAX_DRESS; step++) {
    const next = skip(DRESS, text, at);
    if (next === at) break;
    at = next;
  }
  return at;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

/** Where a text calls what stands before it the answer, "24 is the answer"; -1 when it does not. */
export function lastReversed(text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(REVERSED)) last = index;
  return last;
}
