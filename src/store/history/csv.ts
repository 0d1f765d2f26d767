import type { JsonValue } from "./json-values.js";
import type { AnswerLines } from "./query.js";

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A cell that begins like this would be read as a formula by a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Formats one line of a CSV file (RFC 4180). Nested values are JSON, null is an empty cell, and a text that a spreadsheet
 * would run as a formula is prefixed with an apostrophe.
 * @example
 * formatCsvLine(["a,b", null, "=1+1", { f1: 1 }]); // '"a,b",,\'=1+1,"{""f1"":1}"\r\n'
 */
export function csvLine(values: readonly JsonValue[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

/** Streams a query result as CSV, with the column names first. */
export async function* csvText({ columns, pieces }: AnswerLines): AsyncGenerator<string> {
  yield csvLine(columns.map(({ name }) => name));
  for await (const rows of pieces())
    yield rows.map((row) => csvLine(columns.map(({ name }) => row[name] ?? null))).join("");
}

function csvCell(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return quotedCell(typeof value === "object" ? JSON.stringify(value) : String(value));
  // An empty text is not the same as null.
  if (value === "") return '""';
  return quotedCell(FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value);
}

function quotedCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
