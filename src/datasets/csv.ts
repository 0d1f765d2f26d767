import { isUtf8 } from "node:buffer";
import { DatasetError } from "../core/index.js";
import { readBytes } from "./read-bytes.js";
import type { BadRow, RowReadOptions, SourceRow } from "./source-row.js";

const COMMA = 44;
const TAB = 9;
const QUOTE = 34;
const LF = 10;
const CR = 13;
const BATCH_ROWS = 4096;

/** The cells of a record and the line it starts on, or a problem. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] } | BadRow;

/**
 * Reads comma-separated values with a header row (RFC 4180).
 * @example
 * for await (const rows of readCsv("data.csv")) console.log(rows.length);
 */
export function readCsv(path: string, options?: RowReadOptions): AsyncGenerator<SourceRow[]> {
  return readDelimited(path, COMMA, options);
}

/** Reads tab-separated values. Most files quote nothing, some quote like CSV: a quote that closes no cell is a plain character. */
export function readTsv(path: string, options?: RowReadOptions): AsyncGenerator<SourceRow[]> {
  return readDelimited(path, TAB, options);
}

async function* readDelimited(
  path: string,
  delimiter: number,
  options: RowReadOptions = {},
): AsyncGenerator<SourceRow[]> {
  const { header: given, name = path } = options;
  const records = parseDelimited(await readBytes(path, options), delimiter);
  const first = records.next();
  if (first.done === true) return;
  const header = given ?? requireHeader(name, first.value);
  let rows: SourceRow[] = given === undefined || isHeader(first.value, given) ? [] : [toCsvRow(first.value, header)];
  for (const record of records) {
    rows.push(toCsvRow(record, header));
    if (rows.length < BATCH_ROWS) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

/** A file that used to have no header may have one now. */
function isHeader(record: CsvRecord, names: readonly string[]): boolean {
  return "cells" in record && names.every((name, index) => record.cells[index]?.trim() === name);
}

/**
 * Parses CSV bytes into records, without blank lines. Works on bytes, because a cell sliced from one large string would
 * keep the whole string in memory, and because UTF-8 never uses the bytes of CSV syntax within a character.
 * @example
 * [...parseCsvBytes(Buffer.from('a,"b ""c"""\n'))]; // [{ line: 1, cells: ["a", 'b "c"'] }]
 */
export function parseCsvBytes(bytes: Buffer): Generator<CsvRecord, undefined> {
  return parseDelimited(bytes, COMMA);
}

function* parseDelimited(bytes: Buffer, delimiter: number): Generator<CsvRecord, undefined> {
  const scanner = new CsvScanner(bytes, delimiter);
  for (let record = scanner.next(); record !== null; record = scanner.next()) yield record;
}

function requireHeader(path: string, record: CsvRecord): readonly string[] {
  if ("problem" in record) throw new DatasetError(`${path}:${record.line}: the header ${record.problem}. Fix it.`);
  // Unnamed columns are common (an exported index): they get a name instead of an error.
  const names = record.cells.map((name, index) => name.trim() || `column_${index + 1}`);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return names;
  throw new DatasetError(`${path}:${record.line}: the header names the column "${repeated}" twice. Rename one.`);
}

function toCsvRow(record: CsvRecord, header: readonly string[]): SourceRow {
  if ("problem" in record) return record;
  const { line, cells } = record;
  if (cells.length !== header.length) {
    const count = cells.length === 1 ? "1 cell" : `${cells.length} cells`;
    return { line, problem: `has ${count}, but the header has ${header.length}` };
  }
  return { line, row: Object.fromEntries(header.map((name, index) => [name, cells[index]])) };
}

class CsvScanner {
  readonly #bytes: Buffer;
  readonly #delimiter: number;
  readonly #valid: boolean;
  #at = 0;
  #line = 1;

  constructor(bytes: Buffer, delimiter: number) {
    this.#bytes = bytes;
    this.#delimiter = delimiter;
    this.#valid = isUtf8(bytes);
  }

  next(): CsvRecord | null {
    while (this.#isAtLineEnd()) this.#skipLineEnd();
    if (this.#at >= this.#bytes.length) return null;
    const line = this.#line;
    const start = this.#at;
    const record = this.#readRecord(line);
    const broken = !this.#valid && !isUtf8(this.#bytes.subarray(start, this.#at));
    this.#skipLineEnd();
    return broken ? { line, problem: "is not valid UTF-8 text" } : record;
  }

  #readRecord(line: number): CsvRecord {
    const cells: string[] = [];
    for (;;) {
      const cell = this.#readCell();
      if (typeof cell !== "string") return { line, problem: cell.problem };
      cells.push(cell);
      if (this.#bytes[this.#at] !== this.#delimiter) return { line, cells };
      this.#at += 1;
    }
  }

  #readCell(): string | { problem: string } {
    if (this.#bytes[this.#at] !== QUOTE) return this.#readPlainCell();
    const [at, line] = [this.#at, this.#line];
    const cell = this.#readQuotedCell();
    if (typeof cell === "string" || this.#delimiter !== TAB) return cell;
    [this.#at, this.#line] = [at, line];
    return this.#readPlainCell();
  }

  #readPlainCell(): string {
    const start = this.#at;
    while (!this.#isAtCellEnd()) this.#at += 1;
    return this.#bytes.toString("utf8", start, this.#at);
  }

  #readQuotedCell(): string | { problem: string } {
    const opened = this.#line;
    const start = this.#at + 1;
    let doubled = false;
    for (this.#at = start; this.#at < this.#bytes.length; this.#at += 1) {
      if (this.#bytes[this.#at] === QUOTE) {
        if (this.#bytes[this.#at + 1] !== QUOTE) return this.#finishQuotedCell(start, doubled);
        doubled = true;
        this.#at += 1;
      } else if (this.#isAtLineEnd() && !this.#isBeforeLf()) this.#line += 1;
    }
    return { problem: `has a quote, opened on line ${opened}, that is never closed; nothing after it could be read` };
  }

  #finishQuotedCell(start: number, doubled: boolean): string | { problem: string } {
    const text = this.#bytes.toString("utf8", start, this.#at);
    this.#at += 1;
    if (this.#isAtCellEnd()) return doubled ? text.replaceAll('""', '"') : text;
    while (this.#at < this.#bytes.length && !this.#isAtLineEnd()) this.#at += 1;
    return { problem: "has text after a closing quote; write a quote inside a quoted cell twice" };
  }

  #isAtLineEnd(): boolean {
    const byte = this.#bytes[this.#at];
    return byte === LF || byte === CR;
  }

  #isAtCellEnd(): boolean {
    return this.#at >= this.#bytes.length || this.#bytes[this.#at] === this.#delimiter || this.#isAtLineEnd();
  }

  /** True on the CR of a CRLF. */
  #isBeforeLf(): boolean {
    return this.#bytes[this.#at] === CR && this.#bytes[this.#at + 1] === LF;
  }

  #skipLineEnd(): void {
    if (!this.#isAtLineEnd()) return;
    this.#at += this.#isBeforeLf() ? 2 : 1;
    this.#line += 1;
  }
}
