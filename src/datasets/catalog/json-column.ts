import { describe } from "../../core/shape.js";
import type { RawRow } from "../source-row.js";
import { valueAt } from "./read-column.js";
import { RowProblem } from "./row-problem.js";

/**
 * The list in a column that holds it as it is or as JSON text.
 * @example
 * jsonList({ tools: '[{"name": "add"}]' }, "tools"); // [{ name: "add" }]
 */
export function jsonList(row: RawRow, path: string): readonly unknown[] {
  const value = valueAt(row, path);
  const read = typeof value === "string" ? parsed(value) : value;
  if (Array.isArray(read)) return read;
  throw new RowProblem(`has ${describe(value)} in "${path}", not a list or one as JSON`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
