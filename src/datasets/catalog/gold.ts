import type { RawRow } from "../source-row.js";
import { text } from "./read-column.js";
import { RowProblem } from "./row-problem.js";

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
