import { toPlainText } from "../math/canonical.js";
import { isRefusal } from "../math/extract.js";
import { findLeadingQuantity } from "../math/find-number.js";
import { findOnlyWordedNumber } from "../math/numbers.js";
import { findAnswerQuantities, findQuantities } from "../math/quantities.js";
import { findChosenOption } from "../multiple-choice/extract.js";
import { type ChoiceOptions, MAX_OPTIONS, toLetter, toLetterIndex } from "../multiple-choice/labels.js";
import { extractOwnAnswer } from "../own-answer.js";
import { findCalculationResult, findStatedAnswers, type StatedAnswer } from "../stated-answer/index.js";
import { cleanAnswer, extractFirstClause, findFirstBold } from "./clean.js";

/** The kind of a gold answer decides how the response is read. */
type AnswerKind = "option" | "number" | "brackets" | "verdict" | "list" | "words";

const OPTION_GOLD = /^\(([a-z])\)$|^([a-z])[.)]?$/i;
const NUMBER_GOLD = /^[-−+]?\d[\d,]*(?:\.\d+)?$/;
const BRACKETS = /^[\s()[\]{}<>]+$/;
const VERDICTS = [
  ["yes", "no"],
  ["true", "false"],
  ["valid", "invalid"],
  ["plausible", "implausible"],
];
const NUMBER_WORDS = [
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(" "),
  ..."sixteen seventeen eighteen nineteen twenty".split(" "),
];

function classifyGold(gold: string): AnswerKind {
  const text = gold.trim();
  if (OPTION_GOLD.test(text)) return "option";
  if (NUMBER_GOLD.test(text)) return "number";
  if (isBracketsOnly(text)) return "brackets";
  if (listVerdicts(text).length > 0) return "verdict";
  return /^\S+(?:\s+\S+)+$/.test(text) && !text.includes(",") ? "list" : "words";
}

/** The set of answers that a gold such as "Yes" belongs to; empty for other golds. */
function listVerdicts(gold: string): readonly string[] {
  return VERDICTS.find((verdicts) => verdicts.includes(gold.trim().toLowerCase())) ?? [];
}

function isBracketsOnly(text: string): boolean {
  return BRACKETS.test(text);
}

function parseOptionLetter(gold: string): string {
  const match = OPTION_GOLD.exec(gold.trim());
  return (match?.[1] ?? match?.[2] ?? "").toUpperCase();
}

/** Parses digits or a word up to twenty; null for other texts. */
function parseWholeNumber(text: string): number | null {
  const spelled = NUMBER_WORDS.indexOf(text.toLowerCase());
  if (spelled !== -1) return spelled;
  return NUMBER_GOLD.test(text) ? Number(text.replaceAll(",", "").replace("−", "-")) : null;
}

const MAX_NUMBER_LINE = 200;
const MAX_LINE = 1000;
const WITH_UNIT = /^([-−+]?[\d,]*\.?\d+) [a-z][^\d]*$/i;
/**
 * Where a number ends and an explanation starts. A minus before a digit, and a remark followed by an operator,
 * continue the sum.
 */
const NUMBER_CLAUSE_END =
  /[.,;:!?](?=\s|$)|\s[-–—](?!\s?[\d$])|\s\((?![^()]{0,60}\)\s?[-+*/×÷=])|\s(?:because|since|as)\s/;
/** Where a sum ends; it may contain brackets. */
const SUM_END = /[.,;!?](?=\s|$)|\s(?:because|since|as|where|which)\s/;

/** The numbers that a line may answer with. The result of a sum counts only if the line does not begin with its answer. */
function findLineNumbers(line: string, isExplicit: boolean): number[] {
  const plain = findCalculationResult(line.replaceAll("**", ""));
  if (isFormulaLine(plain)) return [];
  const direct = filterNumbers([line, cutBefore(plain, NUMBER_CLAUSE_END), findFirstBold(line) ?? ""]);
  if (direct.length > 0) return direct;
  const sum = isExplicit ? cutBefore(plain, SUM_END) : plain;
  if (findQuantities(sum.slice(-MAX_LINE)).at(-1)?.isFormula === true) return [];
  const result = sum.slice(sum.lastIndexOf("=") + 1);
  const results = sum.includes("=") ? filterNumbers([result, cutBefore(result, NUMBER_CLAUSE_END)]) : [];
  return results.length > 0 ? results : findOnlyNumber(plain, isExplicit);
}

/** The only number of a line: "There are 11 animals". After an announcement it must come first. */
function findOnlyNumber(line: string, isLeading: boolean): number[] {
  if (line.length > MAX_LINE || isRefusal(line)) return [];
  const text = unwrapLatexText(toPlainText(line));
  const [number, another] = findAnswerQuantities(text);
  const worded = isLeading || number !== undefined ? null : findOnlyWordedNumber(text);
  if (worded !== null) return [Number(worded.top) / Number(worded.bottom)];
  if (number === undefined || another !== undefined || number.isFormula) return [];
  const isFound = !(isLeading && findLeadingQuantity(text) === null) && !/[/%:]|frac/.test(number.text);
  const [value] = number.values;
  return isFound && value !== undefined ? [Number(value.top) / Number(value.bottom)] : [];
}

/** Unwraps LaTeX commands that only hold words. */
function unwrapLatexText(text: string): string {
  return text.replace(/^\\(?:boxed|fbox)\s?\{/, "").replace(/\\(?:text|textbf|mathrm|mbox)\s?\{([^{}]*)\}/g, "$1");
}

/** Whether a line answers with a formula or a list, "x = 1 or x = 4", so that none of its numbers is the answer. */
function isFormulaLine(line: string): boolean {
  return line.length <= MAX_LINE && findLeadingQuantity(line)?.isFormula === true;
}

function filterNumbers(texts: readonly string[]): number[] {
  return texts.flatMap((text) => parseNumber(cleanAnswer(text)) ?? []);
}

function parseNumber(text: string): number | null {
  if (text.length > MAX_NUMBER_LINE || isFormulaLine(text)) return null;
  return parseWholeNumber(stripMoneySigns(text)) ?? parseNumberWithUnit(text);
}

/** "24 clips" is 24; "8 squared" and "8 and a half" are other numbers. */
function parseNumberWithUnit(text: string): number | null {
  const number = parseWholeNumber(WITH_UNIT.exec(text)?.[1] ?? "");
  const values = findLeadingQuantity(text)?.values.map(({ top, bottom }) => Number(top) / Number(bottom)) ?? [];
  return number !== null && values.length > 0 && !values.includes(number) ? null : number;
}

function cutBefore(text: string, end: RegExp): string {
  const at = text.trimStart().search(end);
  return at === -1 ? text : text.trimStart().slice(0, at);
}

function stripMoneySigns(text: string): string {
  return text.replace(/^([-−+]?)[$€£]/, "$1");
}

const BULLET = /^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+/;
/** A dash before a number may be its sign. */
const WORDED_BULLET = new RegExp(`${BULLET.source}(?!\\d)`);

/** Texts that may be a list at the start of an answer: its bullets, its first paragraph, all of it. */
function findLists(rest: string): string[] {
  const text = rest.trimStart().slice(0, MAX_RESPONSE_CHARS);
  const lines = text.split("\n");
  const end = text.search(/\n[ \t]*\r?\n/);
  const paragraph = end === -1 ? text : text.slice(0, end);
  return [joinBullets(lines), stripBullets(paragraph), stripBullets(text)].filter((list) => list !== "");
}

/** Compares lists by their words in lower case, however they are separated. */
function normalizeList(text: string): string {
  return text
    .toLowerCase()
    .replace(/["“”[\]]/g, "")
    .split(/[\s,;]+/)
    .filter((word) => word !== "")
    .join(" ");
}

/** Joins bullet items. Blank lines may come between them; a remark ends the list. */
function joinBullets(lines: readonly string[]): string {
  const items: string[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    if (!BULLET.test(line)) break;
    items.push(cleanAnswer(line.replace(BULLET, "")));
  }
  return items.join(" ");
}

function stripBullets(text: string): string {
  return cleanAnswer(
    text
      .split("\n")
      .map((line) => line.replace(BULLET, ""))
      .join("\n"),
  );
}

/** Removes a bullet, unless the line is one of several items, which may be the choices. */
function stripOnlyBullet(line: string, text: string): string {
  const items = text.slice(-MAX_RESPONSE_CHARS).match(new RegExp(BULLET.source, "gm")) ?? [];
  return items.length === 1 ? line.replace(WORDED_BULLET, "") : line;
}

/** A place in a response where its answer may be. */
interface AnswerCandidate {
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

const MAX_RESPONSE_CHARS = 20_000;
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

interface ParsedResponse {
  response: string;
  /** Where it may answer, last first. */
  places: readonly AnswerCandidate[];
}

export function parseResponse(response: string): ParsedResponse {
  const text = extractOwnAnswer(response).trimStart();
  const stated = findStatedAnswers(text).filter(({ by }) => by !== "space");
  if (stated.length > 0) return { response, places: stated.map((answer) => toCandidate(text, answer)) };
  const [line, otherLine] = [stripOnlyBullet(getLastLine(text), text).slice(0, MAX_RESPONSE_CHARS), getFirstLine(text)];
  const whole = { rest: text, full: text, line, otherLine, isExplicit: false };
  const labeled = findAfterLastColon(text);
  return { response, places: labeled === null ? [whole] : [whole, labeled] };
}

/** After the label of the last line, "Total: 8", or below the last line that ends in a colon. */
const LABELED_LINE = /(?:^|\n)(?![ \t]*(?:[-*•]\s|\d|#{0,4}[ \t]*[*_]{0,2}step\b))[^:\n]{1,100}:[*_]{0,3}(?=\s)/gi;

function findAfterLastColon(text: string): AnswerCandidate | null {
  const lines = [...text.slice(-MAX_RESPONSE_CHARS).matchAll(LABELED_LINE)];
  const last = lines.at(-1);
  if (last === undefined) return null;
  const rest = text.slice(-MAX_RESPONSE_CHARS).slice(last.index + last[0].length);
  // A multi-line answer must be below the label, not beside it.
  if (/^[ \t]*\S[^\n]*\n\s*\S/.test(rest) || rest.trim() === "") return null;
  return { rest, full: rest, line: getFirstLine(rest), otherLine: getFirstLine(rest), isExplicit: true };
}

/** Whether a response matches a gold, and what was read, for the evidence. */
interface AnswerMatch {
  isRight: boolean;
  shown: string;
}

/** The question tells which letters its options have. */
export function matchGold({ response, places }: ParsedResponse, gold: string, question: string): AnswerMatch {
  if (classifyGold(gold) === "option") return matchOption(response, gold, question);
  const place = selectCandidate(places, gold);
  return {
    isRight: place !== undefined && isGoldAnswer(place, gold),
    shown: shortenAnswer(cleanAnswer(place?.line ?? "")),
  };
}

const OPTION_LINE = /(?:^|\n)[ \t]*\(([A-Z])\)[ \t]+([^\n]{1,1000})/g;

function matchOption(response: string, gold: string, question: string): AnswerMatch {
  const wanted = parseOptionLetter(gold);
  const chosen = findChosenOption(response, parseQuestionOptions(question, toLetterIndex(wanted)));
  const letter = chosen === null ? "" : toLetter(chosen);
  return { isRight: letter === wanted, shown: letter === "" ? "" : `(${letter})` };
}

/** The options at the end of a question, as in BIG-Bench-Hard; all letters if it lists none. */
function parseQuestionOptions(question: string, gold: number): ChoiceOptions {
  const texts: string[] = [];
  for (const [, letter = "", text = ""] of question.slice(-MAX_RESPONSE_CHARS).matchAll(OPTION_LINE)) {
    if (toLetterIndex(letter) === 0) texts.length = 0;
    if (toLetterIndex(letter) === texts.length) texts.push(text.trim());
  }
  const isListed = texts.length > 1 && gold < texts.length;
  return {
    texts: isListed ? texts : [],
    count: isListed ? texts.length : MAX_OPTIONS,
    isNumbered: false,
    isLetterRequired: true,
  };
}

function shortenAnswer(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** The last candidate with an answer of the gold's kind, else the last. */
function selectCandidate(places: readonly AnswerCandidate[], gold: string): AnswerCandidate | undefined {
  const isDenial = classifyGold(gold) === "verdict" || /^not\b/i.test(gold.trim());
  const saying = places.filter(({ rest, full }) => rest !== "" || (isDenial && /^not\b/i.test(full)));
  return saying.find((place) => hasGoldKind(place, gold)) ?? saying[0];
}

function hasGoldKind(place: AnswerCandidate, gold: string): boolean {
  switch (classifyGold(gold)) {
    case "number":
      return listCandidateNumbers(place).length > 0;
    case "brackets":
      return listCandidateBrackets(place).some(isBracketsOnly);
    case "verdict":
      return findCandidateVerdict(place, gold) !== undefined;
    case "list":
      return listCandidateLists(place).some(
        (list) => countListWords(list) === countListWords(normalizeList(cleanAnswer(gold))),
      );
    case "option":
    case "words":
      return true;
  }
}

function isGoldAnswer(place: AnswerCandidate, gold: string): boolean {
  switch (classifyGold(gold)) {
    case "number":
      return listCandidateNumbers(place).includes(parseWholeNumber(gold.trim()) ?? Number.NaN);
    case "brackets":
      return listCandidateBrackets(place).includes(removeSpaces(gold));
    case "verdict":
      return findCandidateVerdict(place, gold) === gold.trim().toLowerCase();
    case "list":
      return listCandidateLists(place).includes(normalizeList(cleanAnswer(gold)));
    case "option":
    case "words":
      return listCandidateTexts(place).some((text) => normalizePlain(text) === normalizePlain(cleanAnswer(gold)));
  }
}

const AMOUNT = /^(?:exactly|approximately|about|around|roughly|only|just|a total of|equal to)\s/i;

function listCandidateNumbers({ line, otherLine, isExplicit }: AnswerCandidate): number[] {
  const said = isExplicit ? line.replace(AMOUNT, "") : line;
  return [...findLineNumbers(said, isExplicit), ...(isExplicit ? [] : filterNumbers([otherLine]))];
}

/** Braces may be escaped as in LaTeX, "\}", or not. */
function listCandidateBrackets(place: AnswerCandidate): string[] {
  const boxed = GREEDY_BOX.exec(place.line)?.[1] ?? "";
  return [...listCandidateTexts(place), boxed].map((text) => removeSpaces(text).replace(/\\(?=[{}])/g, ""));
}

/**
 * Looks for the gold's alternatives ("Yes", "No") in the line, its first clause, its bold part and its last sentence.
 * "Not valid" is invalid.
 */
function findCandidateVerdict(place: AnswerCandidate, gold: string): string | undefined {
  const { line, otherLine, isExplicit } = place;
  const concluded = line.replace(OPENER, "");
  const last = line.split(SENTENCE_START).at(-1)?.replace(OPENER, "") ?? "";
  const further = [
    concluded,
    extractFirstClause(concluded),
    ...(isExplicit ? [] : [extractFirstClause(otherLine)]),
    last,
  ].map(cleanAnswer);
  const texts = [...listCandidateTexts(place), ...further];
  const said = texts.flatMap((text) => {
    const [, not, verdict] = SENTENCE.exec(text.replace(/[`*_"]/g, "")) ?? [];
    return verdict === undefined ? [] : [not === undefined ? verdict : `not ${verdict}`];
  });
  const result = line.includes("=") ? [cleanAnswer(line.slice(line.lastIndexOf("=") + 1))] : [];
  const verdicts = listVerdicts(gold);
  for (const text of [...texts, ...said, ...result].map(normalizePlain)) {
    if (verdicts.includes(text)) return text;
    if (verdicts.includes(text.replace(/^not /, ""))) return verdicts.find((verdict) => `not ${verdict}` !== text);
  }
  return undefined;
}

function listCandidateLists(place: AnswerCandidate): string[] {
  // Without an announcement, the list is the whole text or its last paragraph.
  const parts = place.isExplicit ? [place.rest, place.full] : [place.rest, getLastParagraph(place.rest)];
  const long = parts.flatMap(findLists);
  return [...listCandidateTexts(place), ...listLinkedTexts(place), ...long].map(normalizeList);
}

function getLastParagraph(text: string): string {
  return (
    text
      .slice(-MAX_RESPONSE_CHARS)
      .trimEnd()
      .split(/\n[ \t]*\r?\n/)
      .at(-1) ?? ""
  );
}

/** The whole line, its first clause, its bold part. */
function listCandidateTexts({ line, otherLine, isExplicit }: AnswerCandidate): string[] {
  return [...listForms(line), ...(isExplicit ? listForms(otherLine) : [otherLine])].map(cleanAnswer);
}

/** The text after the last verb or preposition of a line. */
function listLinkedTexts({ line }: AnswerCandidate): string[] {
  const window = line.slice(0, MAX_SENTENCE);
  const link = LINKING.exec(window);
  return link === null ? [] : [cleanAnswer(window.slice(link.index + link[0].length))];
}

function listForms(line: string): string[] {
  const bold = findFirstBold(line);
  return [line, extractFirstClause(line), ...(bold === null ? [] : [bold])];
}

function toCandidate(text: string, { from, end, isDenied }: StatedAnswer): AnswerCandidate {
  const full = text.slice(from, end);
  const rest = isDenied ? "" : full.replace(FILLING, "");
  return { rest, full, line: getFirstLine(rest), otherLine: getFirstLine(full), isExplicit: true };
}

function getFirstLine(text: string): string {
  const end = text.trimStart().indexOf("\n");
  return (end === -1 ? text.trimStart() : text.trimStart().slice(0, end)).slice(0, MAX_RESPONSE_CHARS);
}

/** The last line with a letter, a digit or a bracket; marks such as "---" and "$$" do not count. */
function getLastLine(text: string): string {
  const end = text.trimEnd().length;
  for (let stop = end; stop > 0; ) {
    const start = text.lastIndexOf("\n", stop - 1) + 1;
    const line = text.slice(start, stop);
    if (/[\p{L}\p{N}()[\]{}<>]/u.test(line)) return line.trim();
    stop = start - 1;
  }
  return "";
}

function normalizePlain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

function countListWords(list: string): number {
  return list.split(" ").length;
}

function removeSpaces(text: string): string {
  return text.replace(/\s+/g, "");
}
