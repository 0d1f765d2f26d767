import { isUtf8 } from "node:buffer";
import { getErrorMessage } from "../core/errors.js";
import { describeValue } from "../core/shape.js";
import { readTextBlocks } from "./read-bytes.js";
import { isRawRow, type RowReadOptions, type SourceRow } from "./source-row.js";

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
export function parseJsonLines(block: Buffer, firstLine: number, rows: SourceRow[]): number {
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
