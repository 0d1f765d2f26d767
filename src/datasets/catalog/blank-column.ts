import type { RawRow } from "../source-row.js";
import { valueAt } from "./read-column.js";

/**
 * True for a row that has nothing in one of its columns, as published data sometimes does. A column that is not there at
 * all is another matter.
 * @example
 * hasBlank({ document: "…", summary: " " }, ["document", "summary"]); // true
 */
export function hasBlank(row: RawRow, columns: readonly string[]): boolean {
  return columns.some((column) => {
    const value = valueAt(row, column);
    return value === null || (typeof value === "string" && value.trim() === "");
  });
}
