import { isDoubted, isHypothetical, isRetracted } from "./hypothetical.js";
import type { FindAnswerOptions, StatedAnswer } from "./types.js";
import { ASIDE, LINK, NOUN, REVERSED, SHORT_NOUN } from "./words.js";

/** Texts with more announcements are not searched further back. */
const MAX_STATED = 100;
/** How far after an answer a retraction is looked for. */
const MAX_BEHIND = 200;

const TAG = /(?:<(?:final[_ -]?)?(?:answer|ans)>|\[(?:final[_ -]?)?answer\])\s*/gi;
const CLOSING_TAG = /<\/(?:final[_ -]?)?(?:answer|ans)>|\[\/(?:final[_ -]?)?answer\]/gi;
const IN_TAG = /(?:<\/?|\[\/)(?:final[_ -]?)?$/i;
const BOX = /\\(?:boxed|fbox|framebox)\s?\{?/g;
/** A response that continues a prompt ending in "Answer". */
const OPENING_COLON = /^\s*[:：]\s*(?=\S)/;
/** A response whose first line is followed by an explanation. */
const EXPLAINED =
  /^\s*(?=\S[^\n]{0,80}\n[\s*_#>]{1,12}(?:explanation|reasoning|reason|justification|rationale|solution|steps|working|here['’]s (?:how|why)|why)\b)/i;
/** "not (A) but (B)", "not A; it is B". */
const CORRECTION = /not\b[^.\n]{1,80}?(?:\bbut(?: rather)?|[;,] (?:rather|instead|it is|it['’]s))\s+/iy;
const DENIAL = /not\b/iy;

/**
 * Finds where a text states its final answer, last first: in <answer> tags, in \boxed, after "Answer:", "the answer
 * is" or a heading, in many languages. Suppositions ("if the answer is …") are skipped. Callers read what
 * follows, and try the next place if it is not the kind of answer they look for.
 * @example
 * const text = "One and two is three. So the answer is 3.";
 * text.slice(findStatedAnswers(text)[0]?.start); // "3."
 */
export function findStatedAnswers(text: string, options: FindAnswerOptions = {}): StatedAnswer[] {
  const last = text.trimEnd().length;
  const found = [
    ...findTaggedAnswers(text),
    ...findNamedAnswers(text, options),
    ...findBoxedAnswers(text),
    ...findOpeningAnswer(text),
  ];
  const ofStart = new Map<number, StatedAnswer>();
  for (const stated of found) {
    // "The answer is \boxed{4}" and "<answer>Answer: 4</answer>" are one answer each.
    if (stated.from < Math.min(last, stated.end) && !ofStart.has(stated.from)) ofStart.set(stated.from, stated);
  }
  return [...ofStart.values()].sort((a, b) => b.from - a.from).slice(0, MAX_STATED);
}

/** Where a text calls what precedes it the answer, "24 is the answer"; -1 if it does not. */
export function findReversedAnswer(text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(REVERSED)) last = index;
  return last;
}

function findOpeningAnswer(text: string): StatedAnswer[] {
  const from = (OPENING_COLON.exec(text) ?? EXPLAINED.exec(text))?.[0].length;
  return from === undefined
    ? []
    : [{ from, start: from, end: text.length, by: "colon", isFinal: false, isDenied: false }];
}

function findNamedAnswers(text: string, { names, isShortNameKnown = false }: FindAnswerOptions): StatedAnswer[] {
  const nouns = [NOUN, ...(isShortNameKnown ? [SHORT_NOUN] : [])].flatMap((pattern) => findNouns(text, pattern));
  const others = names === undefined ? [] : findNouns(text, names);
  // "Option B" alone announces nothing, unlike "Answer B".
  const linked = others.flatMap((noun) => readNoun(text, noun)).filter(({ by }) => by !== "space");
  return [...nouns.flatMap((noun) => readNoun(text, noun)), ...linked];
}

function findNouns(text: string, pattern: RegExp): AnswerNoun[] {
  return findLastMatches(text, pattern).map(({ index, 0: noun, groups }) => ({
    at: index,
    end: index + noun.length,
    isFinal: groups?.final !== undefined,
  }));
}

function readNoun(text: string, noun: AnswerNoun): StatedAnswer[] {
  if (IN_TAG.test(text.slice(Math.max(0, noun.at - 8), noun.at))) return [];
  const followed = followNoun(text, noun);
  if (isHypothetical(text, noun.at, followed.start)) return [];
  const stated = { ...followed, end: text.length, isFinal: noun.isFinal, isDenied: false };
  const isTakenBack = isRetracted(text.slice(followed.start, followed.start + MAX_BEHIND));
  return [isDoubted(text, noun.at) || isTakenBack ? { ...stated, isDenied: true } : applyCorrection(text, stated)];
}

function applyCorrection(text: string, stated: StatedAnswer): StatedAnswer {
  const corrected = skipPattern(CORRECTION, text, stated.from);
  if (corrected > stated.from) return { ...stated, from: corrected, start: corrected };
  return { ...stated, isDenied: skipPattern(DENIAL, text, stated.from) > stated.from };
}

function findBoxedAnswers(text: string): StatedAnswer[] {
  return findLastMatches(text, BOX).map(({ index, 0: mark }) => ({
    from: index,
    start: index + mark.length,
    end: text.length,
    by: "box",
    isFinal: true,
    isDenied: false,
  }));
}

function findTaggedAnswers(text: string): StatedAnswer[] {
  const closings = findLastMatches(text, CLOSING_TAG).map(({ index }) => index);
  return findLastMatches(text, TAG).map(({ index, 0: tag }) => {
    const from = index + tag.length;
    const end = closings.find((at) => at >= from) ?? text.length;
    return { from, start: from, end, by: "tag", isFinal: true, isDenied: false };
  });
}

/** Only the last ones: a megabyte may hold nothing but matches. */
function findLastMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push(match);
    if (found.length > 2 * MAX_STATED) found.splice(0, MAX_STATED);
  }
  return found;
}

/** A place that names the answer. */
interface AnswerNoun {
  readonly at: number;
  readonly end: number;
  readonly isFinal: boolean;
}

const MAX_LINKS = 24;
/** Marks that close around the noun: **Answer**, "answer". */
const CLOSING = /[*_"'`)\]]{0,4}/y;
/** Between a verb or colon and its answer. No minus, which may belong to a number, and no mark that opens bold text. */
const MARKS = /(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|```[\w-]{0,20}[ \t]*\n)+/y;
/** The noun alone on its line is a heading. */
const HEADING_LEFT = /(?:^|\n)[ \t#*_>-]{0,10}(?:(?:final|correct|my|the|your)\s){0,2}$/i;
const HEADING_RIGHT = /[ \t*_#]{0,8}\r?\n/y;
const MAX_HEADING = 40;

/** Skips verb, colon, remarks and filler words between the noun and the answer. */
function followNoun(text: string, noun: AnswerNoun): Pick<StatedAnswer, "from" | "start" | "by"> {
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
    if (isLinking && isOpen && (by === "space" || isBlankBetween(text, from, start))) from = start + match[0].length;
    if (colon !== undefined) isOpen = false;
    if (copula !== undefined && by === "space") by = "verb";
    else if (colon !== undefined && by === "space") by = "colon";
    start += match[0].length;
  }
  if (by === "space" && isAnswerHeading(text, noun)) by = "colon";
  from = skipPattern(MARKS, text, from);
  // A text that ends in such words consists of them: "The answer is: are be is".
  const isAnswered = start < text.length || from >= start;
  return { from, start: isAnswered ? Math.max(from, start) : from, by };
}

function isBlankBetween(text: string, from: number, to: number): boolean {
  return to - from < 10 && /^[\s*_]*$/.test(text.slice(from, to));
}

function isAnswerHeading(text: string, { at, end }: AnswerNoun): boolean {
  return (
    skipPattern(HEADING_RIGHT, text, end) > end && HEADING_LEFT.test(text.slice(Math.max(0, at - MAX_HEADING), at))
  );
}

/** Returns the same position if the sticky pattern does not match there. */
function skipPattern(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
