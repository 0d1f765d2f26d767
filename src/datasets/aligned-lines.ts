import { setImmediate } from "node:timers/promises";
import { DatasetError } from "../core/errors.js";
import { readLines, type TextLine } from "../utils/files/lines.js";
import { createUnreadableError } from "./read-bytes.js";
import type { RowFile } from "./row-file.js";
import type { RawRow, SourceRow } from "./source-row.js";

/** Text files whose lines correspond: each file is a column. */
export interface AlignedLinesOptions {
  /** Name of all files together, for messages. */
  readonly name: string;
  /** Path of the file for each column. */
  readonly columns: Readonly<Record<string, string>>;
  /** Placeholder for a line break within a line. */
  readonly lineBreak?: string;
}

const BATCH_ROWS = 500;

/**
 * Opens text files whose lines correspond, so that line n of each makes row n.
 * @example
 * openAlignedLines({ name: "test", columns: { document: "test.src", summary: "test.tgt" } });
 */
export function openAlignedLines(texts: AlignedLinesOptions): RowFile {
  const { name } = texts;
  return { name, textOnly: true, at: (line) => `${name}:${line}`, batches: () => readAlignedBatches(texts) };
}

async function* readAlignedBatches(texts: AlignedLinesOptions): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for (const row of readAlignedRows(texts)) {
    if (batch.push(row) < BATCH_ROWS) continue;
    // Lets signals and timers be handled while a large file is read.
    await setImmediate();
    yield batch;
    batch = [];
  }
  yield batch;
}

function* readAlignedRows({ name, columns, lineBreak }: AlignedLinesOptions): Generator<SourceRow> {
  const readers = Object.entries(columns).map(([column, path]) => ({ column, lines: readLines(path) }));
  try {
    for (let line = 1; ; line += 1) {
      const met = readers.map(({ column, lines }) => ({ column, next: lines.next() }));
      const ended = met.filter(({ next }) => next.done === true).map(({ column }) => column);
      if (ended.length === readers.length) return;
      if (ended.length > 0) throw createLineCountError(name, ended, line - 1);
      yield { line, row: toAlignedRow(met, lineBreak) };
    }
  } catch (error) {
    throw createUnreadableError(name, error);
  } finally {
    for (const { lines } of readers) lines.return(undefined);
  }
}

interface ColumnLine {
  readonly column: string;
  readonly next: IteratorResult<TextLine, unknown>;
}

function toAlignedRow(met: readonly ColumnLine[], lineBreak: string | undefined): RawRow {
  return Object.fromEntries(
    met.map(({ column, next }) => [column, next.done === true ? "" : cleanLine(next.value, lineBreak)]),
  );
}

function cleanLine({ text }: TextLine, lineBreak: string | undefined): string {
  const line = text.trim();
  return lineBreak === undefined ? line : line.replaceAll(lineBreak, "\n");
}

/** If a file lacks a line, the lines after it do not correspond, and those before it may not either. */
function createLineCountError(name: string, ended: readonly string[], lines: number): DatasetError {
  return new DatasetError(
    `"${name}" has ${lines} lines of ${ended.join(" and ")} and more of the others, but all files must have the same number of lines. Download the files again.`,
  );
}
