import type { RawRow } from "../source-row.js";
import { RowProblem, requireIntegerValue, requireText } from "./columns.js";

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
export interface OptionNumbering {
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
export interface SummaryTask {
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
