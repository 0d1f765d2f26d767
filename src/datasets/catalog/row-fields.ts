import { describeValue } from "../../core/index.js";
import type { RawRow } from "../source-row.js";

/**
 * Gets the value at a path, such as "answer.value"; undefined if there is none. In a list, a number selects an item and a
 * name maps over the items. A column whose name is the whole path comes first.
 */
export function getValueAtPath(row: RawRow, path: string): unknown {
  return Object.hasOwn(row, path) ? row[path] : followPath(row, path.split("."));
}

function followPath(value: unknown, keys: readonly string[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(key)) return value.map((item) => followPath(item, keys));
  return followPath((value as Readonly<Record<string, unknown>>)[key], rest);
}

/**
 * @example
 * requireText({ answer: { value: "Paris" } }, "answer.value"); // "Paris"
 */
export function requireText(row: RawRow, path: string): string {
  const value = getValueAtPath(row, path);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw createColumnProblem(path, value, "text");
}

/** Reads text that may be null or absent, as "". */
export function readOptionalText(row: RawRow, path: string): string {
  const value = getValueAtPath(row, path);
  return value === null || value === undefined ? "" : requireText(row, path);
}

export function requireTextList(row: RawRow, path: string): string[] {
  return requireListValue(row, path).map((item, index) => {
    if (typeof item === "string") return item;
    if (typeof item === "number" || typeof item === "bigint") return String(item);
    throw createColumnProblem(`${path}[${index}]`, item, "text");
  });
}

export function requireListValue(row: RawRow, path: string): readonly unknown[] {
  const value = getValueAtPath(row, path);
  if (Array.isArray(value)) return value;
  throw createColumnProblem(path, value, "a list");
}

/** Files store whole numbers as numbers, big integers or text. */
export function requireIntegerValue(row: RawRow, path: string): number {
  const value = getValueAtPath(row, path);
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value ?? Number.NaN);
  if (Number.isSafeInteger(number) && typeof value !== "boolean") return number;
  throw createColumnProblem(path, value, "a whole number");
}

function createColumnProblem(path: string, value: unknown, wanted: string): RowProblem {
  return new RowProblem(`has ${describeValue(value)} in "${path}", not ${wanted}`);
}

/**
 * Whether one of the columns is null or blank, as happens in published data. A missing column does not count.
 * @example
 * hasBlankColumn({ document: "…", summary: " " }, ["document", "summary"]); // true
 */
export function hasBlankColumn(row: RawRow, columns: readonly string[]): boolean {
  return columns.some((column) => {
    const value = getValueAtPath(row, column);
    return value === null || (typeof value === "string" && value.trim() === "");
  });
}

/**
 * Reads a list that is stored as a list or as JSON text.
 * @example
 * requireJsonList({ tools: '[{"name": "add"}]' }, "tools"); // [{ name: "add" }]
 */
export function requireJsonList(row: RawRow, path: string): readonly unknown[] {
  const value = getValueAtPath(row, path);
  const read = typeof value === "string" ? tryParseJson(value) : value;
  if (Array.isArray(read)) return read;
  throw new RowProblem(`has ${describeValue(value)} in "${path}", not a list or a JSON list`);
}

function tryParseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What is wrong with a row. The message continues "the row": `has null in "question"`. */
export class RowProblem extends Error {
  override readonly name = "RowProblem";
}

/**
 * Reads a gold answer, which must not be blank.
 * @example
 * requireGoldText({ target: "(B)" }, "target"); // "(B)"
 */
export function requireGoldText(row: RawRow, path: string): string {
  const gold = requireText(row, path).trim();
  if (gold !== "") return gold;
  throw new RowProblem(`has no answer in "${path}"`);
}

/**
 * Removes blank and repeated gold answers; at least one must be left. `path` is for the message.
 * @example
 * requireGoldTexts(["Paris", "paris ", "Paris", ""], "answer.aliases"); // ["Paris", "paris"]
 */
export function requireGoldTexts(answers: readonly string[], path: string): string[] {
  const golds = new Set(answers.map((answer) => answer.trim()));
  golds.delete("");
  if (golds.size > 0) return [...golds];
  throw new RowProblem(`has no answer in "${path}"`);
}

const BOX_PATTERN = /\\(?:boxed|fbox)(?![a-zA-Z])\s*/g;

/**
 * Extracts the content of the last `\boxed{…}` or `\fbox{…}` of a solution, or what follows `\boxed ` without braces; null
 * if no box is closed and filled.
 * @example
 * extractLastBoxed("So $x = \\boxed{\\frac{1}{2}}$."); // "\\frac{1}{2}"
 */
export function extractLastBoxed(solution: string): string | null {
  for (const { index, 0: opening } of [...solution.matchAll(BOX_PATTERN)].reverse()) {
    const boxed = readBoxContent(solution, index + opening.length)?.trim();
    if (boxed) return boxed;
  }
  return null;
}

function readBoxContent(solution: string, start: number): string | null {
  if (solution[start] !== "{") return /^[^${}\n]*/.exec(solution.slice(start))?.[0] ?? null;
  const end = findClosingBrace(solution, start);
  return end === null ? null : solution.slice(start + 1, end);
}

/** `\{` and `\}` are set braces, not grouping. */
function findClosingBrace(solution: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < solution.length; at++) {
    if (solution[at] === "\\") at += 1;
    else if (solution[at] === "{") depth += 1;
    else if (solution[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}

const NUMBER_INSTRUCTION = "Work it out step by step. On the last line give the final number after ####.";

/**
 * Asks for the final number after ####, as in GSM8K's own solutions.
 * @example
 * askForNumber("2 + 2?"); // "2 + 2?\n\nWork it out step by step. On the last line …"
 */
export function askForNumber(question: string): string {
  return `${question.trim()}\n\n${NUMBER_INSTRUCTION}`;
}

/**
 * Removes thousands separators.
 * @example
 * normalizeNumber(" 2,125"); // "2125"
 */
export function normalizeNumber(number: string): string {
  return number.replaceAll(",", "").trim();
}

/** The options of a row, and the number of the first one in its column. */
interface OptionNumbering {
  readonly options: readonly string[];
  readonly first: 0 | 1;
}

/**
 * Reads the number of the correct option and returns its position, counted from 0.
 * @example
 * readCorrectOption({ label: "2" }, "label", { options: ["no", "yes"], first: 1 }); // 1
 */
export function readCorrectOption(row: RawRow, path: string, { options, first }: OptionNumbering): number {
  const number = requireIntegerValue(row, path);
  if (number - first in options) return number - first;
  throw new RowProblem(`has ${number} in "${path}", which must be from ${first} to ${first + options.length - 1}`);
}

/** F1 penalizes every additional word. */
const SHORT_ANSWER_INSTRUCTION = "Answer in as few words as possible.";

/**
 * Asks for a name, a number or a phrase and nothing else.
 * @example
 * askForShortAnswer("Who?"); // "Who?\n\nAnswer in as few words as possible."
 */
export function askForShortAnswer(question: string): string {
  return `${question.trim()}\n\n${SHORT_ANSWER_INSTRUCTION}`;
}

/**
 * Reads code with its indentation; it must not be blank.
 * @example
 * requireCode({ body: "    return 1\n" }, "body"); // "    return 1\n"
 */
export function requireCode(row: RawRow, path: string): string {
  const code = requireText(row, path);
  if (code.trim() !== "") return code;
  throw new RowProblem(`has no code in "${path}"`);
}

/** Evaluators for summaries, the deciding one first. */
export const SUMMARY_SCORING = {
  evaluators: ["summarization_quality", "answer_quality"],
  primaryField: "rouge_l_f1",
} as const;

/** What to summarize, and the columns of a row. */
interface SummaryTask {
  /** The kind of text, such as "this report". */
  readonly what: string;
  /** Length of the summary, such as "one paragraph"; as long as the gold summaries. */
  readonly length: string;
  readonly document: string;
  readonly summary: string;
}

/**
 * The fields of an example that asks for a summary.
 * @example
 * buildSummaryExample(row, { what: "this report", length: "one page", document: "report", summary: "summary" });
 */
export function buildSummaryExample(row: RawRow, { what, length, document, summary }: SummaryTask) {
  return {
    context: requireText(row, document),
    question: askForSummary(what, length),
    answer: requireGoldText(row, summary),
  };
}

export function askForSummary(what: string, length: string): string {
  return `Summarise ${what} in ${length}. Answer with the summary alone.`;
}
