import type { RawRow } from "../source-row.js";
import { text } from "./read-column.js";
import { RowProblem } from "./row-problem.js";

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
