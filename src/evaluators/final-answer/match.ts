import { ownAnswer } from "../own-answer.js";
import { findStatedAnswers, type StatedAnswer } from "../stated-answer/index.js";
import { clauseOf, cleaned, firstBold } from "./clean.js";
import { isBrackets, kindOf, optionLetter, verdictsLike, wholeNumber } from "./kind.js";
import { listsIn, wordsOf } from "./list.js";
import { numbersAmong, numbersOf } from "./numbers.js";
import { announcedOption, optionOfLine } from "./option.js";

/** One place of a response where its answer may stand. */
export interface Place {
  /** From the answer on. Nothing when the response only says what the answer is not. */
  rest: string;
  /** The same with the words that may be filling or the beginning of the answer: "thus", "then", "not". */
  full: string;
  /** The line that holds the answer. */
  line: string;
  /** The same line with the words that may be filling, or another line where the answer may stand. */
  otherLine: string;
  /** False when nothing was announced and the response is taken as it is. */
  isExplicit: boolean;
}

/** What is longer than this is no answer. */
const LONGEST = 20_000;
const SENTENCE = /^(?:the|this|that|it)\b[^.,;]{0,60}?\bis(?: therefore| thus| hence| deductively| logically)? (\w+)$/i;
const FILLING = /^(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|therefore\b|thus\b|then\b|clearly\b|hence\b)+/i;
const GREEDY_BOX = /^\\boxed\s?\{(.*)\}/;

/** Where a response may answer, the last place first. */
export function readResponse(response: string): Place[] {
  const text = ownAnswer(response).trimStart();
  const stated = findStatedAnswers(text).filter(({ by }) => by !== "space");
  if (stated.length > 0) return stated.map((answer) => announced(text, answer));
  const [line, otherLine] = [lastLine(text).slice(0, LONGEST), lineFrom(text)];
  return [{ rest: text, full: text, line, otherLine, isExplicit: false }];
}

/** The place that counts for a gold: the last one with an answer of its kind, else the last. */
export function placeFor(places: readonly Place[], gold: string): Place | undefined {
  const saying = /^not\b/i.test(gold.trim()) ? places : places.filter(({ rest }) => rest !== "");
  return saying.find((place) => isOfKind(place, gold)) ?? saying[0];
}

/** Whether a response answers with this gold. */
export function answers(places: readonly Place[], gold: string): boolean {
  const place = placeFor(places, gold);
  return place !== undefined && isGold(place, gold);
}

/** What was read, for people. */
export function shownOf(place: Place | undefined): string {
  const text = cleaned(place?.line ?? "");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function isOfKind(place: Place, gold: string): boolean {
  switch (kindOf(gold)) {
    case "option":
      return optionAt(place) !== null;
    case "number":
      return numbersAt(place).length > 0;
    case "brackets":
      return bracketsAt(place).some(isBrackets);
    case "verdict":
      return verdictsAt(place).some((text) => verdictsLike(gold).includes(text));
    case "list":
      return listsAt(place).some((list) => sizeOf(list) === sizeOf(wordsOf(cleaned(gold))));
    case "words":
      return true;
  }
}

function isGold(place: Place, gold: string): boolean {
  switch (kindOf(gold)) {
    case "option":
      return optionAt(place) === optionLetter(gold);
    case "number":
      return numbersAt(place).includes(wholeNumber(gold.trim()) ?? Number.NaN);
    case "brackets":
      return bracketsAt(place).includes(spaceless(gold));
    case "verdict":
      return verdictsAt(place).includes(gold.trim().toLowerCase());
    case "list":
      return listsAt(place).includes(wordsOf(cleaned(gold)));
    case "words":
      return textsAt(place).some((text) => plain(text) === plain(cleaned(gold)));
  }
}

function optionAt({ rest, line, otherLine, isExplicit }: Place): string | null {
  return isExplicit ? announcedOption(rest, line) : (optionOfLine(line) ?? optionOfLine(otherLine));
}

function numbersAt({ line, otherLine, isExplicit }: Place): number[] {
  return [...numbersOf(line, isExplicit), ...(isExplicit ? [] : numbersAmong([otherLine]))];
}

/** Braces are often written as LaTeX wants them, "\}", and often not. */
function bracketsAt(place: Place): string[] {
  const boxed = GREEDY_BOX.exec(place.line)?.[1] ?? "";
  return [...textsAt(place), boxed].map((text) => spaceless(text).replace(/\\(?=[{}])/g, ""));
}

function verdictsAt(place: Place): string[] {
  const texts = textsAt(place);
  const said = place.isExplicit ? texts.flatMap((text) => SENTENCE.exec(text)?.[1] ?? []) : [];
  return [...texts, ...said].map(plain);
}

function listsAt(place: Place): string[] {
  const long = place.isExplicit ? [place.rest, place.full].flatMap(listsIn) : [];
  return [...textsAt(place), ...long].map(wordsOf);
}

/** The forms an answer in words may take: the whole line, its first clause, its bold part. */
function textsAt({ line, otherLine, isExplicit }: Place): string[] {
  return [...formsOf(line), ...(isExplicit ? formsOf(otherLine) : [otherLine])].map(cleaned);
}

function formsOf(line: string): string[] {
  const bold = firstBold(line);
  return [line, clauseOf(line), ...(bold === null ? [] : [bold])];
}

function announced(text: string, { from, end, isDenied }: StatedAnswer): Place {
  const full = text.slice(from, end);
  const rest = isDenied ? "" : full.replace(FILLING, "");
  return { rest, full, line: lineFrom(rest), otherLine: lineFrom(full), isExplicit: true };
}

function lineFrom(text: string): string {
  const end = text.trimStart().indexOf("\n");
  return (end === -1 ? text.trimStart() : text.trimStart().slice(0, end)).slice(0, LONGEST);
}

/** The last line with a letter, a digit or a bracket: marks alone, such as "---" and "$$", are no answer. */
function lastLine(text: string): string {
  const end = text.trimEnd().length;
  for (let stop = end; stop > 0; ) {
    const start = text.lastIndexOf("\n", stop - 1) + 1;
    const line = text.slice(start, stop);
    if (/[\p{L}\p{N}()[\]{}<>]/u.test(line)) return line.trim();
    stop = start - 1;
  }
  return "";
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

function sizeOf(list: string): number {
  return list.split(" ").length;
}

function spaceless(text: string): string {
  return text.replace(/\s+/g, "");
}
