import type { RawRow } from "../source-row.js";
import { integer } from "./read-column.js";
import { RowProblem } from "./row-problem.js";

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
