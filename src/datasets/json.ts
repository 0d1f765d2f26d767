import { isUtf8 } from "node:buffer";
import { DatasetError, describeValue, getErrorMessage } from "../core/index.js";
import { readBytes, readTextBlocks } from "./read-bytes.js";
import { isBadRow, isRawRow, type RowReadOptions, type SourceRow } from "./source-row.js";

/** Conventional fields for rows, used only if an object has several arrays. */
const ROW_FIELDS = ["data", "rows", "examples", "test"];

/**
 * Reads an array of rows, or an object with the rows in one array field. `line` is the row's number in that array.
 * @example
 * for await (const rows of readJsonFile("data.json")) console.log(rows.length);
 */
export async function* readJsonFile(path: string, options: RowReadOptions = {}): AsyncGenerator<SourceRow[]> {
  const { name = path } = options;
  const bytes = await readBytes(path, options);
  if (bytes.length === 0) return;
  const document = parseJsonFile(name, bytes);
  yield document instanceof JsonLines ? document.rows : findRowArray(name, document).map(toJsonRow);
}

function toJsonRow(value: unknown, index: number): SourceRow {
  const line = index + 1;
  return isRawRow(value) ? { line, row: value } : { line, problem: `is ${describeValue(value)}, not an object` };
}

/** The rows of a file in JSON Lines format, whatever its extension. */
class JsonLines {
  readonly rows: SourceRow[] = [];
}

/** Some datasets are published as JSON Lines named .json. Tried only if the file is not valid JSON; null if its first line is not valid either. */
function tryParseLines(bytes: Buffer): JsonLines | null {
  const lines = new JsonLines();
  parseJsonLines(bytes, 1, lines.rows);
  const [first] = lines.rows;
  return lines.rows.length < 2 || first === undefined || isBadRow(first) ? null : lines;
}

function parseJsonFile(path: string, bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new DatasetError(`"${path}" is not valid UTF-8 text. Save it as UTF-8 and try again.`);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    const lines = tryParseLines(bytes);
    if (lines !== null) return lines;
    throw new DatasetError(
      `"${path}" is not valid JSON (${getErrorMessage(error)}). If it has one object per line, or is too large for one string, use .jsonl.`,
      { cause: error },
    );
  }
}

function findRowArray(path: string, document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isRawRow(document)) {
    throw new DatasetError(`"${path}" is ${describeValue(document)}. It must contain an array of rows.`);
  }
  const arrays = Object.keys(document).filter((field) => Array.isArray(document[field]));
  const usual = ROW_FIELDS.filter((field) => arrays.includes(field));
  const [field, another] = arrays.length > 1 ? usual : arrays;
  const rows = field === undefined || another !== undefined ? undefined : document[field];
  if (Array.isArray(rows)) return rows;
  throw new DatasetError(
    arrays.length === 0
      ? `"${path}" is one object without an array of rows (its fields: ${Object.keys(document).join(", ") || "none"}). Put the rows in an array.`
      : `"${path}" has several arrays (${arrays.join(", ")}), so it is unclear which holds the rows. Keep one, or name it "data".`,
  );
}

/**
 * Reads one JSON object per line, block by block. Only a line feed ends a line: U+2028 may occur in a JSON string.
 * @example
 * for await (const rows of readJsonl("data.jsonl")) console.log(rows.length);
 */
export async function* readJsonl(path: string, options: RowReadOptions = {}): AsyncGenerator<SourceRow[]> {
  let line = 1;
  for await (const block of readTextBlocks(path, options)) {
    const rows: SourceRow[] = [];
    line = isUtf8(block) ? parseJsonLines(block, line, rows) : parseJsonBytes(block, line, rows);
    yield rows;
  }
}

/** Decodes the block at once, which is several times faster than line by line. Returns the number of the next line. */
function parseJsonLines(block: Buffer, firstLine: number, rows: SourceRow[]): number {
  const text = block.toString("utf8");
  let line = firstLine;
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    addJsonLine(text.slice(start, end), line, rows);
    start = end + 1;
    line += 1;
  }
  return line;
}

/** For a block with invalid UTF-8: finds the affected lines. */
function parseJsonBytes(block: Buffer, firstLine: number, rows: SourceRow[]): number {
  let line = firstLine;
  let start = 0;
  while (start < block.length) {
    const feed = block.indexOf(10, start);
    const end = feed === -1 ? block.length : feed;
    const bytes = block.subarray(start, end);
    if (isUtf8(bytes)) addJsonLine(bytes.toString("utf8"), line, rows);
    else rows.push({ line, problem: "is not valid UTF-8 text" });
    start = end + 1;
    line += 1;
  }
  return line;
}

function addJsonLine(text: string, line: number, rows: SourceRow[]): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Checked only after a failure: checking every line for blanks first would slow down all valid ones.
    if (text.trim() !== "") rows.push({ line, problem: `is not valid JSON (${getErrorMessage(error)})` });
    return;
  }
  rows.push(
    isRawRow(value) ? { line, row: value } : { line, problem: `is ${describeValue(value)}, not a JSON object` },
  );
}
