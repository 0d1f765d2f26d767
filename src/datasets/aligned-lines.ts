import { setImmediate } from "node:timers/promises";
import { DatasetError } from "../core/errors.js";
import { type Line, readLines } from "../utils/files/lines.js";
import { unreadable } from "./read-bytes.js";
import type { RowFile } from "./row-file.js";
import type { RawRow, SourceRow } from "./source-row.js";

/** Texts that belong together line by line, each of which is a column. */
export interface AlignedLines {
  /** As messages name them together. */
  readonly name: string;
  /** The column of each text, with the path of the text. */
  readonly columns: Readonly<Record<string, string>>;
  /** What stands in a line for a line break. */
  readonly lineBreak?: string;
}

const BATCH_ROWS = 500;

/**
 * Texts of which the lines at one place are a row.
 * @example
 * openAlignedLines({ name: "test", columns: { document: "test.src", summary: "test.tgt" } });
 */
export function openAlignedLines(texts: AlignedLines): RowFile {
  const { name } = texts;
  return { name, textOnly: true, at: (line) => `${name}:${line}`, batches: () => batchesOf(texts) };
}

async function* batchesOf(texts: AlignedLines): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for (const row of rowsOf(texts)) {
    if (batch.push(row) < BATCH_ROWS) continue;
    // Lets signals and timers have their turn while a large file is read.
    await setImmediate();
    yield batch;
    batch = [];
  }
  yield batch;
}

function* rowsOf({ name, columns, lineBreak }: AlignedLines): Generator<SourceRow> {
  const readers = Object.entries(columns).map(([column, path]) => ({ column, lines: readLines(path) }));
  try {
    for (let line = 1; ; line += 1) {
      const met = readers.map(({ column, lines }) => ({ column, next: lines.next() }));
      const ended = met.filter(({ next }) => next.done === true).map(({ column }) => column);
      if (ended.length === readers.length) return;
      if (ended.length > 0) throw unlike(name, ended, line - 1);
      yield { line, row: rowOf(met, lineBreak) };
    }
  } catch (error) {
    throw unreadable(name, error);
  } finally {
    for (const { lines } of readers) lines.return(undefined);
  }
}

interface Met {
  readonly column: string;
  readonly next: IteratorResult<Line, unknown>;
}

function rowOf(met: readonly Met[], lineBreak: string | undefined): RawRow {
  return Object.fromEntries(
    met.map(({ column, next }) => [column, next.done === true ? "" : textOf(next.value, lineBreak)]),
  );
}

function textOf({ text }: Line, lineBreak: string | undefined): string {
  const line = text.trim();
  return lineBreak === undefined ? line : line.replaceAll(lineBreak, "\n");
}

/** Rows after a line that is missing in one text would have the wrong partner, and so may those before. */
function unlike(name: string, ended: readonly string[], lines: number): DatasetError {
  return new DatasetError(
    `"${name}" has ${lines} lines of ${ended.join(" and ")} and more of the rest, where each line has its partner in the other text. Get the files again.`,
  );
}
