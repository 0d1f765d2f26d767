import type { JsonValue } from "./json-values.js";
import type { QueryRowStream } from "./query.js";

const NUMBER_PATTERN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A cell that begins like this would be read as a formula by a spreadsheet. */
const FORMULA_PATTERN = /^[=+\-@\t\r]/;

/**
 * Formats one line of a CSV file (RFC 4180). Nested values are JSON, null is an empty cell, and a text that a spreadsheet
 * would run as a formula is prefixed with an apostrophe.
 * @example
 * formatCsvLine(["a,b", null, "=1+1", { f1: 1 }]); // '"a,b",,\'=1+1,"{""f1"":1}"\r\n'
 */
export function formatCsvLine(values: readonly JsonValue[]): string {
  return `${values.map(formatCsvCell).join(",")}\r\n`;
}

/** Streams a query result as CSV, with the column names first. */
export async function* streamCsv({ columns, pieces }: QueryRowStream): AsyncGenerator<string> {
  yield formatCsvLine(columns.map(({ name }) => name));
  for await (const rows of pieces())
    yield rows.map((row) => formatCsvLine(columns.map(({ name }) => row[name] ?? null))).join("");
}

function formatCsvCell(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return quoteCsvCell(typeof value === "object" ? JSON.stringify(value) : String(value));
  // An empty text is not the same as null.
  if (value === "") return '""';
  return quoteCsvCell(FORMULA_PATTERN.test(value) && !NUMBER_PATTERN.test(value) ? `'${value}` : value);
}

function quoteCsvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
