import { plainText } from "../math/canonical.js";
import { isRefusal } from "../math/extract.js";
import { findLeading } from "../math/find-number.js";
import { onlyWordedNumber } from "../math/numbers.js";
import { answersIn, quantitiesIn } from "../math/quantities.js";
import { chosenOption } from "../multiple-choice/extract.js";
import { letterIndex, letterOf, MOST_OPTIONS, type Options } from "../multiple-choice/labels.js";
import { ownAnswer } from "../own-answer.js";
import { findResult, findStatedAnswers, type StatedAnswer } from "../stated-answer/index.js";
import { clauseOf, cleaned, firstBold } from "./clean.js";
import { isBrackets, kindOf, optionLetter, verdictsLike, wholeNumber } from "./kind.js";

const NUMBERS_LONGEST = 200;
const MAX_LINE = 1000;
const WITH_UNIT = /^([-−+]?[\d,]*\.?\d+) [a-z][^\d]*$/i;
/**
 * Where a number ends and an explanation starts. A minus before a digit, and a remark followed by an operator,
 * continue the sum.
 */
const CLAUSE_END = /[.,;:!?](?=\s|$)|\s[-–—](?!\s?[\d$])|\s\((?![^()]{0,60}\)\s?[-+*/×÷=])|\s(?:because|since|as)\s/;
/** Where a sum ends; it may contain brackets. */
const SUM_END = /[.,;!?](?=\s|$)|\s(?:because|since|as|where|which)\s/;

/** The numbers that a line may answer with. The result of a sum counts only if the line does not begin with its answer. */
function numbersOf(line: string, isExplicit: boolean): number[] {
  const plain = findResult(line.replaceAll("**", ""));
  if (isFormula(plain)) return [];
  const direct = numbersAmong([line, before(plain, CLAUSE_END), firstBold(line) ?? ""]);
  if (direct.length > 0) return direct;
  const sum = isExplicit ? before(plain, SUM_END) : plain;
  if (quantitiesIn(sum.slice(-MAX_LINE)).at(-1)?.isFormula === true) return [];
  const result = sum.slice(sum.lastIndexOf("=") + 1);
  const results = sum.includes("=") ? numbersAmong([result, before(result, CLAUSE_END)]) : [];
  return results.length > 0 ? results : onlyNumber(plain, isExplicit);
}

/** The only number of a line: "There are 11 animals". After an announcement it must come first. */
function onlyNumber(line: string, isLeading: boolean): number[] {
  if (line.length > MAX_LINE || isRefusal(line)) return [];
  const text = latexText(plainText(line));
  const [number, another] = answersIn(text);
  const worded = isLeading || number !== undefined ? null : onlyWordedNumber(text);
  if (worded !== null) return [Number(worded.top) / Number(worded.bottom)];
  if (number === undefined || another !== undefined || number.isFormula) return [];
  const isFound = !(isLeading && findLeading(text) === null) && !/[/%:]|frac/.test(number.text);
  const [value] = number.values;
  return isFound && value !== undefined ? [Number(value.top) / Number(value.bottom)] : [];
}

/** Unwraps LaTeX commands that only hold words. */
function latexText(text: string): string {
  return text.replace(/^\\(?:boxed|fbox)\s?\{/, "").replace(/\\(?:text|textbf|mathrm|mbox)\s?\{([^{}]*)\}/g, "$1");
}

/** Whether a line answers with a formula or a list, "x = 1 or x = 4", so that none of its numbers is the answer. */
function isFormula(line: string): boolean {
  return line.length <= MAX_LINE && findLeading(line)?.isFormula === true;
}

function numbersAmong(texts: readonly string[]): number[] {
  return texts.flatMap((text) => numberOf(cleaned(text)) ?? []);
}

function numberOf(text: string): number | null {
  if (text.length > NUMBERS_LONGEST || isFormula(text)) return null;
  return wholeNumber(moneyless(text)) ?? numberWithUnit(text);
}

/** "24 clips" is 24; "8 squared" and "8 and a half" are other numbers. */
function numberWithUnit(text: string): number | null {
  const number = wholeNumber(WITH_UNIT.exec(text)?.[1] ?? "");
  const values = findLeading(text)?.values.map(({ top, bottom }) => Number(top) / Number(bottom)) ?? [];
  return number !== null && values.length > 0 && !values.includes(number) ? null : number;
}

function before(text: string, end: RegExp): string {
  const at = text.trimStart().search(end);
  return at === -1 ? text : text.trimStart().slice(0, at);
}

function moneyless(text: string): string {
  return text.replace(/^([-−+]?)[$€£]/, "$1");
}

const BULLET = /^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+/;
/** A dash before a number may be its sign. */
const WORDED_BULLET = new RegExp(`${BULLET.source}(?!\\d)`);

/** Texts that may be a list at the start of an answer: its bullets, its first paragraph, all of it. */
function listsIn(rest: string): string[] {
  const text = rest.trimStart().slice(0, LONGEST);
  const lines = text.split("\n");
  const end = text.search(/\n[ \t]*\r?\n/);
  const paragraph = end === -1 ? text : text.slice(0, end);
  return [bullets(lines), withoutBullets(paragraph), withoutBullets(text)].filter((list) => list !== "");
}

/** Compares lists by their words in lower case, however they are separated. */
function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/["“”[\]]/g, "")
    .split(/[\s,;]+/)
    .filter((word) => word !== "")
    .join(" ");
}

/** Joins bullet items. Blank lines may come between them; a remark ends the list. */
function bullets(lines: readonly string[]): string {
  const items: string[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    if (!BULLET.test(line)) break;
    items.push(cleaned(line.replace(BULLET, "")));
  }
  return items.join(" ");
}

function withoutBullets(text: string): string {
  return cleaned(
    text
      .split("\n")
      .map((line) => line.replace(BULLET, ""))
      .join("\n"),
  );
}

/** Removes a bullet, unless the line is one of several items, which may be the choices. */
function withoutOnlyBullet(line: string, text: string): string {
  const items = text.slice(-LONGEST).match(new RegExp(BULLET.source, "gm")) ?? [];
  return items.length === 1 ? line.replace(WORDED_BULLET, "") : line;
}

/** A place in a response where its answer may be. */
interface Place {
  /** The text from the answer on. Empty if the response only says what the answer is not. */
  rest: string;
  /** The same, including leading words that may be filler or part of the answer: "thus", "then", "not". */
  full: string;
  line: string;
  /** The same line with possible filler words, or another line that may hold the answer. */
  otherLine: string;
  /** False if nothing was announced and the whole response is used. */
  isExplicit: boolean;
}

const LONGEST = 20_000;
const MAX_SENTENCE = 300;
const OPENER =
  /^(?:(?:therefore|thus|so|hence|overall|finally|in conclusion|in summary|i(?:['’]d| would) say|i (?:think|believe))\b[,:]?\s|\p{So}\ufe0f?\s)+/iu;
/** "The argument is therefore invalid", "the expression evaluates to True", "it is not plausible". */
const SENTENCE =
  /^(?:(?:the|this|that|it)\b(?:(?!\bnot\b|n['’]t\b)[^.;]){0,80}?\b)?(?:is|evaluates to|simplifies to|equals|becomes)(n['’]t| not)?(?: therefore| thus| hence| \w+ly)? (\w+)$/i;
const SENTENCE_START = /(?<=[.!?]\s)(?=\S)/;
/** "The sorted words are ant bee cat", "it is from Paragraph 12". */
const LINKING = /\b(?:is|are|was|from|in|to)\s(?!.*\b(?:is|are|was|from|in|to)\s)(?=\S)/i;
const FILLING = /^(?:[\s:：=,]|[*_]{1,3}(?=\s|$)|therefore\b|thus\b|then\b|clearly\b|hence\b)+/i;
const GREEDY_BOX = /^\\boxed\s?\{(.*)\}/;

export interface ReadResponse {
  response: string;
  /** Where it may answer, last first. */
  places: readonly Place[];
}

export function readResponse(response: string): ReadResponse {
  const text = ownAnswer(response).trimStart();
  const stated = findStatedAnswers(text).filter(({ by }) => by !== "space");
  if (stated.length > 0) return { response, places: stated.map((answer) => announced(text, answer)) };
  const [line, otherLine] = [withoutOnlyBullet(lastLine(text), text).slice(0, LONGEST), lineFrom(text)];
  const whole = { rest: text, full: text, line, otherLine, isExplicit: false };
  const labeled = behindLastColon(text);
  return { response, places: labeled === null ? [whole] : [whole, labeled] };
}

/** After the label of the last line, "Total: 8", or below the last line that ends in a colon. */
const LABELED_LINE = /(?:^|\n)(?![ \t]*(?:[-*•]\s|\d|#{0,4}[ \t]*[*_]{0,2}step\b))[^:\n]{1,100}:[*_]{0,3}(?=\s)/gi;

function behindLastColon(text: string): Place | null {
  const lines = [...text.slice(-LONGEST).matchAll(LABELED_LINE)];
  const last = lines.at(-1);
  if (last === undefined) return null;
  const rest = text.slice(-LONGEST).slice(last.index + last[0].length);
  // A multi-line answer must be below the label, not beside it.
  if (/^[ \t]*\S[^\n]*\n\s*\S/.test(rest) || rest.trim() === "") return null;
  return { rest, full: rest, line: lineFrom(rest), otherLine: lineFrom(rest), isExplicit: true };
}

/** Whether a response matches a gold, and what was read, for the evidence. */
export interface Answered {
  isRight: boolean;
  shown: string;
}

/** The question tells which letters its options have. */
export function compareWithGold({ response, places }: ReadResponse, gold: string, question: string): Answered {
  if (kindOf(gold) === "option") return compareOption(response, gold, question);
  const place = placeFor(places, gold);
  return { isRight: place !== undefined && isGold(place, gold), shown: short(cleaned(place?.line ?? "")) };
}

const OPTION_LINE = /(?:^|\n)[ \t]*\(([A-Z])\)[ \t]+([^\n]{1,1000})/g;

function compareOption(response: string, gold: string, question: string): Answered {
  const wanted = optionLetter(gold);
  const chosen = chosenOption(response, optionsIn(question, letterIndex(wanted)));
  const letter = chosen === null ? "" : letterOf(chosen);
  return { isRight: letter === wanted, shown: letter === "" ? "" : `(${letter})` };
}

/** The options at the end of a question, as in BIG-Bench-Hard; all letters if it lists none. */
function optionsIn(question: string, gold: number): Options {
  const texts: string[] = [];
  for (const [, letter = "", text = ""] of question.slice(-LONGEST).matchAll(OPTION_LINE)) {
    if (letterIndex(letter) === 0) texts.length = 0;
    if (letterIndex(letter) === texts.length) texts.push(text.trim());
  }
  const isListed = texts.length > 1 && gold < texts.length;
  return {
    texts: isListed ? texts : [],
    count: isListed ? texts.length : MOST_OPTIONS,
    isNumbered: false,
    isLetterRequired: true,
  };
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** The last candidate with an answer of the gold's kind, else the last. */
function placeFor(places: readonly Place[], gold: string): Place | undefined {
  const isDenial = kindOf(gold) === "verdict" || /^not\b/i.test(gold.trim());
  const saying = places.filter(({ rest, full }) => rest !== "" || (isDenial && /^not\b/i.test(full)));
  return saying.find((place) => isOfKind(place, gold)) ?? saying[0];
}

function isOfKind(place: Place, gold: string): boolean {
  switch (kindOf(gold)) {
    case "number":
      return numbersAt(place).length > 0;
    case "brackets":
      return bracketsAt(place).some(isBrackets);
    case "verdict":
      return verdictAt(place, gold) !== undefined;
    case "list":
      return listsAt(place).some((list) => sizeOf(list) === sizeOf(wordsOf(cleaned(gold))));
    case "option":
    case "words":
      return true;
  }
}

function isGold(place: Place, gold: string): boolean {
  switch (kindOf(gold)) {
    case "number":
      return numbersAt(place).includes(wholeNumber(gold.trim()) ?? Number.NaN);
    case "brackets":
      return bracketsAt(place).includes(spaceless(gold));
    case "verdict":
      return verdictAt(place, gold) === gold.trim().toLowerCase();
    case "list":
      return listsAt(place).includes(wordsOf(cleaned(gold)));
    case "option":
    case "words":
      return textsAt(place).some((text) => plain(text) === plain(cleaned(gold)));
  }
}

const AMOUNT = /^(?:exactly|approximately|about|around|roughly|only|just|a total of|equal to)\s/i;

function numbersAt({ line, otherLine, isExplicit }: Place): number[] {
  const said = isExplicit ? line.replace(AMOUNT, "") : line;
  return [...numbersOf(said, isExplicit), ...(isExplicit ? [] : numbersAmong([otherLine]))];
}

/** Braces may be escaped as in LaTeX, "\}", or not. */
function bracketsAt(place: Place): string[] {
  const boxed = GREEDY_BOX.exec(place.line)?.[1] ?? "";
  return [...textsAt(place), boxed].map((text) => spaceless(text).replace(/\\(?=[{}])/g, ""));
}

/**
 * Looks for the gold's alternatives ("Yes", "No") in the line, its first clause, its bold part and its last sentence.
 * "Not valid" is invalid.
 */
function verdictAt(place: Place, gold: string): string | undefined {
  const { line, otherLine, isExplicit } = place;
  const concluded = line.replace(OPENER, "");
  const last = line.split(SENTENCE_START).at(-1)?.replace(OPENER, "") ?? "";
  const further = [concluded, clauseOf(concluded), ...(isExplicit ? [] : [clauseOf(otherLine)]), last].map(cleaned);
  const texts = [...textsAt(place), ...further];
  const said = texts.flatMap((text) => {
    const [, not, verdict] = SENTENCE.exec(text.replace(/[`*_"]/g, "")) ?? [];
    return verdict === undefined ? [] : [not === undefined ? verdict : `not ${verdict}`];
  });
  const result = line.includes("=") ? [cleaned(line.slice(line.lastIndexOf("=") + 1))] : [];
  const verdicts = verdictsLike(gold);
  for (const text of [...texts, ...said, ...result].map(plain)) {
    if (verdicts.includes(text)) return text;
    if (verdicts.includes(text.replace(/^not /, ""))) return verdicts.find((verdict) => `not ${verdict}` !== text);
  }
  return undefined;
}

function listsAt(place: Place): string[] {
  // Without an announcement, the list is the whole text or its last paragraph.
  const parts = place.isExplicit ? [place.rest, place.full] : [place.rest, lastParagraph(place.rest)];
  const long = parts.flatMap(listsIn);
  return [...textsAt(place), ...linkedTexts(place), ...long].map(wordsOf);
}

function lastParagraph(text: string): string {
  return (
    text
      .slice(-LONGEST)
      .trimEnd()
      .split(/\n[ \t]*\r?\n/)
      .at(-1) ?? ""
  );
}

/** The whole line, its first clause, its bold part. */
function textsAt({ line, otherLine, isExplicit }: Place): string[] {
  return [...formsOf(line), ...(isExplicit ? formsOf(otherLine) : [otherLine])].map(cleaned);
}

/** The text after the last verb or preposition of a line. */
function linkedTexts({ line }: Place): string[] {
  const window = line.slice(0, MAX_SENTENCE);
  const link = LINKING.exec(window);
  return link === null ? [] : [cleaned(window.slice(link.index + link[0].length))];
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

/** The last line with a letter, a digit or a bracket; marks such as "---" and "$$" do not count. */
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
