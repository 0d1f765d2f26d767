import { readLines } from "../../utils/files/lines.js";
import { scratchFile } from "./scratch-file.js";
import { strictJson } from "./strict-json.js";
import { writePieces } from "./write-pieces.js";

/**
 * A copy of a file of JSON lines in which every line that JavaScript can read is one that DuckDB can read, so that a query
 * finds what a report finds. Other lines are as they were.
 */
export async function strictCopy(path: string, scratchDir: string): Promise<string> {
  const copy = scratchFile(scratchDir);
  await writePieces(copy, strictLines(path));
  return copy;
}

function* strictLines(path: string): Generator<string> {
  for (const { text } of readLines(path)) yield `${strictLine(text)}\n`;
}

function strictLine(text: string): string {
  try {
    return strictJson(JSON.parse(text));
  } catch {
    return text;
  }
}
