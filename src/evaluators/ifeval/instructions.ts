import type { Example } from "../../core/index.js";
import { getOwn } from "../../core/index.js";
import { hasRelation, InstructionArguments, type InstructionCheck, type InstructionRules } from "./arguments.js";
import { CASE_RULES } from "./case-rules.js";
import type { DetectLanguage } from "./detect-language.js";
import {
  countMatches,
  findLineEnd,
  isBlankText,
  isLineStart,
  isWordBoundary,
  SPACE,
  skipSpaces,
  splitPythonWords,
  stripCharacter,
  stripEnd,
  stripSpaces,
  stripStart,
  WORD,
} from "./python-text.js";
import { findSentences } from "./sentences.js";

const WORDS = new RegExp(`[${WORD}]+`, "gu");
const DIVIDER = new RegExp(`[${SPACE}]?\\*\\*\\*[${SPACE}]?`);
/** Ends the first word of a paragraph. */
const PUNCTUATION = ".,?!'\"";

/** Rules about length and paragraphs. */
const LENGTH_RULES: InstructionRules = {
  "length_constraints:number_words": (given) => {
    const relation = given.readRelation("relation");
    const wanted = given.readCount("num_words");
    return (response) => hasRelation(countMatches(WORDS, response), relation, wanted);
  },
  "length_constraints:number_sentences": (given) => {
    const relation = given.readRelation("relation");
    const wanted = given.readCount("num_sentences");
    return (response) => hasRelation(findSentences(response).length, relation, wanted);
  },
  "length_constraints:number_paragraphs": (given) => {
    const wanted = given.readCount("num_paragraphs");
    return (response) => countParagraphs(response.split(DIVIDER)) === wanted;
  },
  "length_constraints:nth_paragraph_first_word": createFirstWordRule,
};

/** Counts paragraphs between dividers; the first and the last may be blank, NaN if another is. */
function countParagraphs(paragraphs: readonly string[]): number {
  let count = paragraphs.length;
  for (const [place, paragraph] of paragraphs.entries()) {
    if (!isBlankText(paragraph)) continue;
    if (place !== 0 && place !== paragraphs.length - 1) return Number.NaN;
    count -= 1;
  }
  return count;
}

function createFirstWordRule(given: InstructionArguments): InstructionCheck {
  const wanted = given.readCount("num_paragraphs");
  const nth = given.readCount("nth_paragraph");
  const word = given.readText("first_word").toLowerCase();
  if (nth < 1 || nth > wanted) given.addProblem("nth_paragraph", "a number from 1 to num_paragraphs");
  return (response) => {
    const paragraphs = response.split("\n\n");
    // Blank ones do not count, but the index refers to all of them, as in the official grader.
    const count = paragraphs.filter((paragraph) => !isBlankText(paragraph)).length;
    if (nth > count || count !== wanted) return false;
    return getFirstWord(paragraphs[nth - 1] ?? "") === word;
  };
}

function getFirstWord(paragraph: string): string {
  const [word = ""] = splitPythonWords(stripSpaces(paragraph));
  const bare = word.replace(/^'*"*/, "");
  const end = [...bare].findIndex((character) => PUNCTUATION.includes(character));
  const letters = end === -1 ? [...bare] : [...bare].slice(0, end);
  // Letter by letter: lower-casing the whole text would change a final Greek sigma.
  return letters.map((letter) => letter.toLowerCase()).join("");
}

const OPTIONS = ["My answer is yes.", "My answer is no.", "My answer is maybe."];
const HIGHLIGHT = /\*[^\n*]*\*/g;
const DOUBLE_HIGHLIGHT = /\*\*[^\n*]*\*\*/g;

/** Rules about format. */
const FORMAT_RULES: InstructionRules = {
  "detectable_format:number_bullet_lists": (given) => {
    const wanted = given.readCount("num_bullets");
    return (response) => countBullets(response) === wanted;
  },
  "detectable_format:constrained_response": () => (response) => OPTIONS.some((option) => response.includes(option)),
  "detectable_format:number_highlighted_sections": (given) => {
    const wanted = given.readCount("num_highlights");
    return (response) => countHighlights(response) >= wanted;
  },
  "detectable_format:multiple_sections": (given) => {
    const splitter = toPattern(given.readKeyword("section_spliter"));
    const heading = new RegExp(`${splitter}[${SPACE}]?\\p{Nd}+[${SPACE}]?`, "gu");
    const wanted = given.readCount("num_sections");
    return (response) => countMatches(heading, response) >= wanted;
  },
  "detectable_format:json_format": () => isJson,
  "detectable_format:title": () => (response) => response.split("\n").some(hasTitle),
};

/** Text between asterisks and between double asterisks; text between triple asterisks counts as both. */
function countHighlights(text: string): number {
  const single = (text.match(HIGHLIGHT) ?? []).filter((found) => !isBlankText(stripCharacter(found, "*")));
  const double = (text.match(DOUBLE_HIGHLIGHT) ?? []).filter((found) => !isBlankText(found.slice(2, -2)));
  return single.length + double.length;
}

function hasTitle(line: string): boolean {
  const start = line.indexOf("<<");
  const end = line.lastIndexOf(">>");
  if (start === -1 || end < start + 3) return false;
  return !isBlankText(stripEnd(stripStart(line.slice(start, end), "<"), ">"));
}

/**
 * Counts bullets made of asterisks and dashes. White space before the mark may span lines, and an asterisk bullet
 * includes the next character, even a line end; two asterisks are not a bullet.
 */
function countBullets(text: string): number {
  const asterisks = countBulletLines(
    text,
    (sign) => text[sign] === "*" && sign + 1 < text.length && text[sign + 1] !== "*",
    2,
  );
  return asterisks + countBulletLines(text, (sign) => text[sign] === "-", 1);
}

function countBulletLines(text: string, isBullet: (sign: number) => boolean, bulletLength: number): number {
  let count = 0;
  let place = 0;
  while (place < text.length) {
    const sign = skipSpaces(text, place);
    const isFound = isBullet(sign);
    if (isFound) count += 1;
    const end = findLineEnd(text, isFound ? sign + bulletLength : sign);
    place = isFound && isLineStart(text, end) ? end : end + 1;
  }
  return count;
}

const FENCES = ["```json", "```Json", "```JSON", "```"];
/** A string, complete or cut off, or a number that only Python's parser accepts. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\[\s\S])*"?|-?Infinity|NaN/g;

/** Whether the response, without a code fence, is JSON as Python parses it: with NaN and infinite numbers. */
function isJson(response: string): boolean {
  const text = stripFence(stripSpaces(response));
  return isParsable(text) || (/NaN|Infinity/.test(text) && isParsable(replacePythonNumbers(text)));
}

function stripFence(text: string): string {
  let inside = text;
  for (const fence of FENCES) if (inside.startsWith(fence)) inside = inside.slice(fence.length);
  return stripSpaces(inside.endsWith("```") ? inside.slice(0, -3) : inside);
}

/** The spaces keep an adjacent digit or sign from making it valid. */
function replacePythonNumbers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (found) => (found.startsWith('"') ? found : " 0 "));
}

function isParsable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Rules about words and letters that must or must not occur. */
const KEYWORD_RULES: InstructionRules = {
  "keywords:existence": (given) => {
    const patterns = given.readKeywords("keywords").map((keyword) => new RegExp(toCaselessPattern(keyword), "iu"));
    return (response) => patterns.every((pattern) => pattern.test(response));
  },
  "keywords:frequency": (given) => {
    const pattern = new RegExp(toCaselessPattern(given.readKeyword("keyword")), "giu");
    const relation = given.readRelation("relation");
    const frequency = given.readCount("frequency");
    return (response) => hasRelation(countMatches(pattern, response), relation, frequency);
  },
  "keywords:forbidden_words": (given) => {
    const patterns = given.readKeywords("forbidden_words").map((word) => new RegExp(toCaselessPattern(word), "giu"));
    return (response) => !patterns.some((pattern) => hasWholeWord(pattern, response));
  },
  "keywords:letter_frequency": (given) => {
    const letter = given.readCharacter("letter").toLowerCase();
    const relation = given.readRelation("let_relation");
    const frequency = given.readCount("let_frequency");
    return (response) => hasRelation(response.toLowerCase().split(letter).length - 1, relation, frequency);
  },
};

/**
 * Whether the pattern occurs between word boundaries. Checking those separately is much faster: a pattern with
 * the letters of all scripts takes a millisecond to compile.
 */
function hasWholeWord(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (isWordBoundary(text, found.index) && isWordBoundary(text, pattern.lastIndex)) return true;
    const isPair = (text.codePointAt(found.index) ?? 0) > 0xffff;
    pattern.lastIndex = found.index + (isPair ? 2 : 1);
  }
  return false;
}

const OPTIONAL_SPACE = `[${SPACE}]?`;

const MARKERS: Readonly<Record<string, string>> = {
  "P.P.S": `p\\.${OPTIONAL_SPACE}p\\.${OPTIONAL_SPACE}s`,
  "P.S.": `p\\.${OPTIONAL_SPACE}s\\.`,
};

/** Rules about content. */
const CONTENT_RULES: InstructionRules = {
  "detectable_content:number_placeholders": (given) => {
    const wanted = given.readCount("num_placeholders");
    return (response) => countPlaceholders(response) >= wanted;
  },
  "detectable_content:postscript": (given) => {
    const marker = given.readKeyword("postscript_marker");
    const pattern = new RegExp(getOwn(MARKERS, marker) ?? toPattern(marker.toLowerCase()), "u");
    return (response) => pattern.test(response.toLowerCase());
  },
};

/** Counts square brackets that are closed on their own line. */
function countPlaceholders(text: string): number {
  return text.split("\n").reduce((count, line) => count + countBrackets(line), 0);
}

function countBrackets(line: string): number {
  let count = 0;
  for (let place = 0; ; count++) {
    const open = line.indexOf("[", place);
    const close = open === -1 ? -1 : line.indexOf("]", open);
    if (close === -1) return count;
    place = close + 1;
  }
}

const SEPARATOR = "******";

/** Rules about how a response begins and ends, and about giving two of them. */
const WRAPPING_RULES: InstructionRules = {
  "combination:two_responses": () => hasTwoResponses,
  "combination:repeat_prompt": (given) => {
    const prompt = given.readText("prompt_to_repeat").toLowerCase();
    return (response) => stripSpaces(response).toLowerCase().startsWith(prompt);
  },
  "startend:end_checker": (given) => {
    const ending = given.readText("end_phrase").toLowerCase();
    return (response) => stripCharacter(stripSpaces(response), '"').toLowerCase().endsWith(ending);
  },
  "startend:quotation": () => (response) => {
    const text = stripSpaces(response);
    return text.length > 1 && text.startsWith('"') && text.endsWith('"');
  },
};

function hasTwoResponses(response: string): boolean {
  const parts = response.split(SEPARATOR);
  if (parts.slice(1, -1).some(isBlankText)) return false;
  const [first, second, ...more] = parts.map(stripSpaces).filter((part) => part !== "");
  return second !== undefined && more.length === 0 && first !== second;
}

export interface IFEvalInstruction {
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Whether each instruction is followed, in order. */
export interface InstructionVerdicts {
  readonly strict: readonly boolean[];
  readonly loose: readonly boolean[];
}

/** The rules of all 25 instructions, by their official ids. */
export const RULES: InstructionRules = {
  ...KEYWORD_RULES,
  ...LENGTH_RULES,
  ...CONTENT_RULES,
  ...FORMAT_RULES,
  ...WRAPPING_RULES,
  ...CASE_RULES,
};

/** Why an instruction cannot be checked; null if it can. */
export function findInstructionProblem({ id, args }: IFEvalInstruction): string | null {
  if (!Object.hasOwn(RULES, id)) return `unknown instruction "${id.slice(0, 60)}"`;
  const given = new InstructionArguments(args);
  RULES[id]?.(given);
  return given.problems.length === 0 ? null : `${id}: ${given.problems.join("; ")}`;
}

/** Checks every instruction against the response as it is (strict) and against its eight loose forms. */
export function checkInstructions(
  instructions: readonly IFEvalInstruction[],
  response: string,
  detect: DetectLanguage,
): InstructionVerdicts {
  const forms = listLooseResponses(response);
  const strict: boolean[] = [];
  const loose: boolean[] = [];
  for (const { id, args } of instructions) {
    const follows = RULES[id]?.(new InstructionArguments(args)) ?? rejectResponse;
    const isFollowed = (form: string) => !isBlankText(form) && follows(form, detect);
    const isStrict = isFollowed(response);
    strict.push(isStrict);
    loose.push(isStrict || forms.some(isFollowed));
  }
  return { strict, loose };
}

const rejectResponse: InstructionCheck = () => false;

/**
 * The eight forms of a response, one of which must pass for the loose verdict: with and without its
 * asterisks, each whole, without its first line, without its last, and without both. Duplicates are removed.
 */
export function listLooseResponses(response: string): string[] {
  const lines = response.split("\n");
  const forms = [response, lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map((form) =>
    typeof form === "string" ? form : stripSpaces(form.join("\n")),
  );
  return [...new Set(forms.flatMap((form) => [form, form.replaceAll("*", "")]))];
}

/** Python treats these as one letter when case is ignored; JavaScript only the first two. */
const ANY_I = "[iI\\u0130\\u0131]";
const IS_I = /^[iI\u0130\u0131]$/;

/**
 * A pattern source for the flag u that finds this text. The official grader uses the text itself as a
 * pattern; here only the dot keeps that meaning, so that "C++" is found and matching stays fast.
 */
function toPattern(text: string): string {
  return [...text].map(toCharacterPattern).join("");
}

/** The same for the flags i and u. */
function toCaselessPattern(text: string): string {
  return [...text].map((character) => (IS_I.test(character) ? ANY_I : toCharacterPattern(character))).join("");
}

function toCharacterPattern(character: string): string {
  if (character === ".") return "[^\\n]";
  return /[\\^$*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

/** Returns a message if the instructions cannot be read. */
export function readInstructions(example: Example): IFEvalInstruction[] | string {
  const ids = parseIfJson(example.instruction_id_list ?? example.instruction_ids);
  if (ids === undefined || ids === null) return "the example has no instruction_id_list";
  if (!isStringArray(ids) || ids.length === 0) return "instruction_id_list is not a list of instruction ids";
  const kwargs = parseIfJson(example.kwargs) ?? [];
  if (!Array.isArray(kwargs)) return "kwargs is not a list with the arguments of each instruction";
  return ids.map((id, place) => ({ id, args: readKwargs(kwargs[place]) }));
}

/** Untyped files such as CSV hold lists as JSON. */
function parseIfJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Without nulls, which some copies of the dataset use for arguments that an instruction does not have. */
function readKwargs(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, argument]) => argument !== null));
}
