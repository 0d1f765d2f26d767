import type { RawRow } from "../source-row.js";
import { integer, RowProblem, text } from "./columns.js";

/**
 * The right answer in a column, which has to say something.
 * @example
 * goldText({ target: "(B)" }, "target"); // "(B)"
 */
export function goldText(row: RawRow, path: string): string {
  const gold = text(row, path).trim();
  if (gold !== "") return gold;
  throw new RowProblem(`has no answer in "${path}"`);
}

/**
 * The right answers, each once and without blank ones; there has to be one. The path is for the message.
 * @example
 * goldTexts(["Paris", "paris ", "Paris", ""], "answer.aliases"); // ["Paris", "paris"]
 */
export function goldTexts(answers: readonly string[], path: string): string[] {
  const golds = new Set(answers.map((answer) => answer.trim()));
  golds.delete("");
  if (golds.size > 0) return [...golds];
  throw new RowProblem(`has no answer in "${path}"`);
}

const BOX = /\\(?:boxed|fbox)(?![a-zA-Z])\s*/g;

/**
 * What is in the last `\boxed{…}` or `\fbox{…}` of a solution, or follows `\boxed ` without braces; null without a box
 * that is closed and says something.
 * @example
 * lastBoxed("So $x = \\boxed{\\frac{1}{2}}$."); // "\\frac{1}{2}"
 */
export function lastBoxed(solution: string): string | null {
  for (const { index, 0: opening } of [...solution.matchAll(BOX)].reverse()) {
    const boxed = contentAt(solution, index + opening.length)?.trim();
    if (boxed) return boxed;
  }
  return null;
}

function contentAt(solution: string, start: number): string | null {
  if (solution[start] !== "{") return /^[^${}\n]*/.exec(solution.slice(start))?.[0] ?? null;
  const end = closingBrace(solution, start);
  return end === null ? null : solution.slice(start + 1, end);
}

/** Where the brace that opens at `start` is closed. `\{` and `\}` are signs of a set, not braces. */
function closingBrace(solution: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < solution.length; at++) {
    if (solution[at] === "\\") at += 1;
    else if (solution[at] === "{") depth += 1;
    else if (solution[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}

const ASK = "Work it out step by step. On the last line give the final number after ####.";

/**
 * A word problem that asks for the final number where GSM8K's own solutions have it.
 * @example
 * askForNumber("2 + 2?"); // "2 + 2?\n\nWork it out step by step. On the last line …"
 */
export function askForNumber(question: string): string {
  return `${question.trim()}\n\n${ASK}`;
}

/**
 * A number without its thousands separators.
 * @example
 * plainNumber(" 2,125"); // "2125"
 */
export function plainNumber(number: string): string {
  return number.replaceAll(",", "").trim();
}

/** The options of a row, and the number that its column has for the first of them. */
export interface Numbering {
  readonly options: readonly string[];
  readonly first: 0 | 1;
}

/**
 * The position, from 0, of the option that a column says is right by its number.
 * @example
 * rightOption({ label: "2" }, "label", { options: ["no", "yes"], first: 1 }); // 1
 */
export function rightOption(row: RawRow, path: string, { options, first }: Numbering): number {
  const number = integer(row, path);
  if (number - first in options) return number - first;
  throw new RowProblem(`has ${number} in "${path}", where ${first} to ${first + options.length - 1} can be right`);
}

/** F1 counts every word that is not the answer's. */
const SHORT_ANSWER_ASK = "Answer in as few words as possible.";

/**
 * A question whose answer is a name, a number or a phrase, and that asks for nothing around it.
 * @example
 * shortAnswer("Who?"); // "Who?\n\nAnswer in as few words as possible."
 */
export function shortAnswer(question: string): string {
  return `${question.trim()}\n\n${SHORT_ANSWER_ASK}`;
}

/**
 * The code in a column, with its indents, which has to say something.
 * @example
 * requiredCode({ body: "    return 1\n" }, "body"); // "    return 1\n"
 */
export function requiredCode(row: RawRow, path: string): string {
  const code = text(row, path);
  if (code.trim() !== "") return code;
  throw new RowProblem(`has no code in "${path}"`);
}

/** What scores summaries, the deciding one first. */
export const SUMMARY_SCORING = {
  evaluators: ["summarization_quality", "answer_quality"],
  primaryField: "rouge_l_f1",
} as const;

/** What is to be summarised, and where a row has it. */
export interface Summarising {
  /** The kind of text, such as "this report". */
  readonly what: string;
  /** How long the summary should be, such as "one paragraph"; as long as the gold ones are. */
  readonly length: string;
  readonly document: string;
  readonly summary: string;
}

/**
 * The fields of an example that asks for a summary.
 * @example
 * summarise(row, { what: "this report", length: "one page", document: "report", summary: "summary" });
 */
export function summarise(row: RawRow, { what, length, document, summary }: Summarising) {
  return { context: text(row, document), question: askForSummary(what, length), answer: goldText(row, summary) };
}

/** The sentence that asks for a summary. */
export function askForSummary(what: string, length: string): string {
  return `Summarise ${what} in ${length}. Answer with the summary alone.`;
}
