import { basename } from "node:path";
import { readBytes } from "./read-bytes.js";
import type { RowReadOptions, SourceRow } from "./source-row.js";

/** Reads a whole text file as one row, `{ text, file }`. */
export async function* readTextFile(path: string, options: RowReadOptions = {}): AsyncGenerator<SourceRow[]> {
  const text = (await readBytes(path, options)).toString("utf8");
  yield [{ line: 1, row: { text, file: basename(options.name ?? path) } }];
}
