import { clauseOf, cleaned, firstBold } from "../final-answer/clean.js";
import { normalizeAnswer } from "../normalize.js";
import { ownAnswer } from "../own-answer.js";
import { findStatedAnswers } from "../stated-answer/index.js";
import { indexOfLabel, type Labels } from "./labels.js";
import { type Mention, mentionsFromEnd } from "./mention.js";
import { isAnnounced, isDenied, isMarked, isOneOfSeveral, isWord } from "./phrases.js";

/** The options of a question. */
export interface Options extends Labels {
  /** The text of each, empty when only their letters are known. */
  texts: readonly string[];
}

const LONE = /^[([{]?(\w{1,2})[)\]}]?[.):]?$/;
const LINE_START = /^[^\p{L}\p{N}([{]{0,8}(?:(?:option|choice)\s)?(?:[([{](\w{1,2})[)\]}]|(\w{1,2})[).:])(?=[\s*]|$)/iu;
const FIRST_WORD = /^[*_([]{0,4}([B-HJ-Z])[)*\]]{0,4}(?=[\s,]|$)/;
const IT_IS = /^(?:so |thus |therefore,? )?(?:it|this|that)(?:['’]s| is| must be)(?: clearly| definitely| probably)? /i;
const LONGEST_LINE = 4000;
const LONGEST_LONE = 60;

/**
 * The option that a response chooses, from 0: the last one it announces, else one on a line of its own, else the one a
 * line begins with, else the one whose text is the answer, else the only one it names. Null when there is none.
 */
export function chosenOption(response: string, options: Options): number | null {
  const text = ownAnswer(response);
  return (
    announced(text, options) ??
    loneLine(text, options) ??
    lineStart(text, options) ??
    optionText(text, options) ??
    onlyNamed(text, options)
  );
}

function announced(text: string, options: Options): number | null {
  const label = lastAnnounced(text, options);
  for (const { start, end, by, isDenied } of findStatedAnswers(text)) {
    if (by === "space" || isDenied) continue;
    const line = firstLine(text.slice(start, end)).slice(0, LONGEST_LINE);
    if (label !== null && label.at >= start) return label.index;
    const inWords = textIndex([line, clauseOf(line)], options);
    if (inWords !== null) return inWords;
  }
  return label?.index ?? null;
}

function lastAnnounced(text: string, options: Options): Mention | null {
  for (const mention of mentionsFromEnd(text, options)) if (isAnnounced(mention)) return mention;
  return null;
}

function loneLine(text: string, options: Options): number | null {
  for (const line of linesFromEnd(text)) {
    if (line.length > LONGEST_LONE) continue;
    const label = LONE.exec(cleaned(line.replace(/[*_`]+/g, "")))?.[1];
    const index = label === undefined ? -1 : indexOfLabel(label, options);
    if (index !== -1) return index;
  }
  return null;
}

/** One line that begins with a label is an answer; several are the options, told one by one. */
function lineStart(text: string, options: Options): number | null {
  const found = new Set<number>();
  const first = startOf(firstLine(text.trimStart()), options);
  // Options are told from the first: whoever begins with another one has chosen it.
  if (first > 0) return first;
  for (const line of linesFromEnd(text)) {
    const index = startOf(line, options);
    if (index !== -1) found.add(index);
    if (found.size > 1) return null;
  }
  return [...found][0] ?? null;
}

function startOf(line: string, options: Options): number {
  const match = LINE_START.exec(line);
  const label = match?.[1] ?? match?.[2];
  return label === undefined ? -1 : indexOfLabel(label, options);
}

function optionText(text: string, options: Options): number | null {
  const [last = ""] = linesFromEnd(text);
  const first = firstLine(text.trimStart());
  const bold = firstBold(last);
  return textIndex([last, bold ?? "", first, last.replace(IT_IS, ""), first.replace(IT_IS, "")], options);
}

function onlyNamed(text: string, options: Options): number | null {
  const found = new Set<number>();
  for (const mention of mentionsFromEnd(text, options)) {
    if (isMarked(mention) && !isDenied(mention) && !isWord(mention)) {
      if (isOneOfSeveral(mention)) return null;
      found.add(mention.index);
    }
    if (found.size > 1) return null;
  }
  const [only] = found;
  if (only !== undefined) return only;
  const first = indexOfLabel(FIRST_WORD.exec(text.trimStart())?.[1] ?? "", options);
  return first === -1 || /\b(?:not|n['’]t|wrong|incorrect)\b/.test(text.slice(0, 60)) ? null : first;
}

/** The one option whose text is one of these, letter case and punctuation aside. */
function textIndex(candidates: readonly string[], { texts }: Options): number | null {
  for (const candidate of candidates) {
    const wanted = comparable(cleaned(candidate.slice(0, LONGEST_LINE)));
    if (wanted === "") continue;
    const same = texts.flatMap((text, index) => (comparable(text) === wanted ? [index] : []));
    if (same.length === 1) return same[0] ?? null;
  }
  return null;
}

/** A text as it is compared. Articles stay: in "A) Rome" the A is none. Of a text such as "+" nothing is taken away. */
export function comparable(text: string): string {
  return normalizeAnswer(text, "articles") || normalizeAnswer(text, "all");
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}

/** The lines that are not blank, the last one first, without the space around them. */
function* linesFromEnd(text: string): Generator<string> {
  for (let stop = text.trimEnd().length; stop > 0; ) {
    const start = text.lastIndexOf("\n", stop - 1) + 1;
    const line = text.slice(start, stop).trim();
    if (line !== "") yield line;
    stop = start - 1;
  }
}
