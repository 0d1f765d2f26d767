import { isUtf8 } from "node:buffer";
import { DatasetError, getErrorMessage } from "../core/errors.js";
import { describeValue } from "../core/shape.js";
import { parseJsonLines } from "./jsonl.js";
import { readBytes } from "./read-bytes.js";
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
