import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { DatasetError, messageOf } from "../core/errors.js";
import { describe } from "../core/shape.js";
import { readBytes, readTextBlocks } from "./read-bytes.js";
import { isBadRow, isRawRow, type ReadOptions, type SourceRow } from "./row-table.js";

/**
 * Reads one JSON object a line, block by block. Lines end at a line feed only: U+2028 may stand inside a JSON string.
 * @example
 * for await (const rows of readJsonl("data.jsonl")) console.log(rows.length);
 */
export async function* readJsonl(path: string, options: ReadOptions = {}): AsyncGenerator<SourceRow[]> {
  let line = 1;
  for await (const block of readTextBlocks(path, options)) {
    const rows: SourceRow[] = [];
    line = isUtf8(block) ? parseLines(block, line, rows) : parseBytes(block, line, rows);
    yield rows;
  }
}

/** Decodes the block at once, which is several times faster than line by line. Returns the number of the next line. */
function parseLines(block: Buffer, firstLine: number, rows: SourceRow[]): number {
  const text = block.toString("utf8");
  let line = firstLine;
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    addLine(text.slice(start, end), line, rows);
    start = end + 1;
    line += 1;
  }
  return line;
}

/** For a block with broken characters: finds the lines that have them, so that they are not read as something else. */
function parseBytes(block: Buffer, firstLine: number, rows: SourceRow[]): number {
  let line = firstLine;
  let start = 0;
  while (start < block.length) {
    const feed = block.indexOf(10, start);
    const end = feed === -1 ? block.length : feed;
    const bytes = block.subarray(start, end);
    if (isUtf8(bytes)) addLine(bytes.toString("utf8"), line, rows);
    else rows.push({ line, problem: "is not valid UTF-8 text" });
    start = end + 1;
    line += 1;
  }
  return line;
}

function addLine(text: string, line: number, rows: SourceRow[]): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Only looked for after the failure: testing every line for blanks first would slow all the good ones.
    if (text.trim() !== "") rows.push({ line, problem: `is not valid JSON (${messageOf(error)})` });
    return;
  }
  rows.push(isRawRow(value) ? { line, row: value } : { line, problem: `is ${describe(value)}, not a JSON object` });
}

/** Fields that hold the rows by convention, asked only when an object has several arrays. */
const USUAL_FIELDS = ["data", "rows", "examples", "test"];

/**
 * Reads an array of rows, or an object with the rows in one array field. `line` is the row's number in that array.
 * @example
 * for await (const rows of readJson("data.json")) console.log(rows.length);
 */
export async function* readJson(path: string, options: ReadOptions = {}): AsyncGenerator<SourceRow[]> {
  const { name = path } = options;
  const bytes = await readBytes(path, options);
  if (bytes.length === 0) return;
  const document = parse(name, bytes);
  yield document instanceof Lines ? document.rows : rowsOf(name, document).map(toRow);
}

function toRow(value: unknown, index: number): SourceRow {
  const line = index + 1;
  return isRawRow(value) ? { line, row: value } : { line, problem: `is ${describe(value)}, not an object` };
}

/** The rows of a file that holds an object a line, whatever its name says. */
class Lines {
  readonly rows: SourceRow[] = [];
}

/** Some datasets are published so. Asked only when the file is no JSON as a whole; null when its first line is none either. */
function linesOf(bytes: Buffer): Lines | null {
  const lines = new Lines();
  parseLines(bytes, 1, lines.rows);
  const [first] = lines.rows;
  return lines.rows.length < 2 || first === undefined || isBadRow(first) ? null : lines;
}

function parse(path: string, bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new DatasetError(`"${path}" is not valid UTF-8 text. Save it as UTF-8 and try again.`);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    const lines = linesOf(bytes);
    if (lines !== null) return lines;
    throw new DatasetError(
      `"${path}" is not valid JSON (${messageOf(error)}). If it holds one object a line, or is too large for one text, use .jsonl.`,
      { cause: error },
    );
  }
}

function rowsOf(path: string, document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isRawRow(document)) {
    throw new DatasetError(`"${path}" is ${describe(document)}. It must hold an array of rows.`);
  }
  const arrays = Object.keys(document).filter((field) => Array.isArray(document[field]));
  const usual = USUAL_FIELDS.filter((field) => arrays.includes(field));
  const [field, another] = arrays.length > 1 ? usual : arrays;
  const rows = field === undefined || another !== undefined ? undefined : document[field];
  if (Array.isArray(rows)) return rows;
  throw new DatasetError(
    arrays.length === 0
      ? `"${path}" is one object without an array of rows (its fields: ${Object.keys(document).join(", ") || "none"}). Put the rows in an array.`
      : `"${path}" has several arrays (${arrays.join(", ")}) and it is not clear which holds the rows. Keep one, or name it "data".`,
  );
}

/** A whole text as one row, `{ text, file }`. */
export async function* readText(path: string, options: ReadOptions = {}): AsyncGenerator<SourceRow[]> {
  const text = (await readBytes(path, options)).toString("utf8");
  yield [{ line: 1, row: { text, file: basename(options.name ?? path) } }];
}
