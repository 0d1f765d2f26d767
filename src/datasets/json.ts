import { isUtf8 } from "node:buffer";
import { DatasetError, messageOf } from "../core/errors.js";
import { describe } from "../core/shape.js";
import { parseLines } from "./jsonl.js";
import { readBytes } from "./read-bytes.js";
import { isBadRow, isRawRow, type ReadOptions, type SourceRow } from "./source-row.js";

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
