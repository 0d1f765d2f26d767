import { isUtf8 } from "node:buffer";
import { DatasetError } from "../core/errors.js";
import { readBytes } from "./read-bytes.js";
import type { BadRow, ReadOptions, SourceRow } from "./source-row.js";

const COMMA = 44;
const TAB = 9;
const QUOTE = 34;
const LF = 10;
const CR = 13;
const BATCH = 4096;

/** The cells of a record and the line it starts on, or a problem. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] } | BadRow;

/**
 * Reads comma-separated values with a header row (RFC 4180).
 * @example
 * for await (const rows of readCsv("data.csv")) console.log(rows.length);
 */
export function readCsv(path: string, options?: ReadOptions): AsyncGenerator<SourceRow[]> {
  return readDelimited(path, COMMA, options);
}

/** Reads tab-separated values. Most files quote nothing, some quote like CSV: a quote that closes no cell is a plain character. */
export function readTsv(path: string, options?: ReadOptions): AsyncGenerator<SourceRow[]> {
  return readDelimited(path, TAB, options);
}

async function* readDelimited(path: string, delimiter: number, options: ReadOptions = {}): AsyncGenerator<SourceRow[]> {
  const { header: given, name = path } = options;
  const records = parseDelimited(await readBytes(path, options), delimiter);
  const first = records.next();
  if (first.done === true) return;
  const header = given ?? headerOf(name, first.value);
  let rows: SourceRow[] = given === undefined || isHeader(first.value, given) ? [] : [toRow(first.value, header)];
  for (const record of records) {
    rows.push(toRow(record, header));
    if (rows.length < BATCH) continue;
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
export function parseCsv(bytes: Buffer): Generator<CsvRecord, undefined> {
  return parseDelimited(bytes, COMMA);
}

function* parseDelimited(bytes: Buffer, delimiter: number): Generator<CsvRecord, undefined> {
  const scanner = new Scanner(bytes, delimiter);
  for (let record = scanner.next(); record !== null; record = scanner.next()) yield record;
}

function headerOf(path: string, record: CsvRecord): readonly string[] {
  if ("problem" in record) throw new DatasetError(`${path}:${record.line}: the header ${record.problem}. Fix it.`);
  // Unnamed columns are common (an exported index): they get a name instead of an error.
  const names = record.cells.map((name, index) => name.trim() || `column_${index + 1}`);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return names;
  throw new DatasetError(`${path}:${record.line}: the header names the column "${repeated}" twice. Rename one.`);
}

function toRow(record: CsvRecord, header: readonly string[]): SourceRow {
  if ("problem" in record) return record;
  const { line, cells } = record;
  if (cells.length !== header.length) {
    return { line, problem: `has ${cells.length} cells, but the header has ${header.length}` };
  }
  return { line, row: Object.fromEntries(header.map((name, index) => [name, cells[index]])) };
}

class Scanner {
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
    while (this.#atLineEnd()) this.#skipLineEnd();
    if (this.#at >= this.#bytes.length) return null;
    const line = this.#line;
    const start = this.#at;
    const record = this.#record(line);
    const broken = !this.#valid && !isUtf8(this.#bytes.subarray(start, this.#at));
    this.#skipLineEnd();
    return broken ? { line, problem: "is not valid UTF-8 text" } : record;
  }

  #record(line: number): CsvRecord {
    const cells: string[] = [];
    for (;;) {
      const cell = this.#cell();
      if (typeof cell !== "string") return { line, problem: cell.problem };
      cells.push(cell);
      if (this.#bytes[this.#at] !== this.#delimiter) return { line, cells };
      this.#at += 1;
    }
  }

  #cell(): string | { problem: string } {
    if (this.#bytes[this.#at] !== QUOTE) return this.#plain();
    const [at, line] = [this.#at, this.#line];
    const cell = this.#quoted();
    if (typeof cell === "string" || this.#delimiter !== TAB) return cell;
    [this.#at, this.#line] = [at, line];
    return this.#plain();
  }

  #plain(): string {
    const start = this.#at;
    while (!this.#atCellEnd()) this.#at += 1;
    return this.#bytes.toString("utf8", start, this.#at);
  }

  #quoted(): string | { problem: string } {
    const opened = this.#line;
    const start = this.#at + 1;
    let doubled = false;
    for (this.#at = start; this.#at < this.#bytes.length; this.#at += 1) {
      if (this.#bytes[this.#at] === QUOTE) {
        if (this.#bytes[this.#at + 1] !== QUOTE) return this.#closed(start, doubled);
        doubled = true;
        this.#at += 1;
      } else if (this.#atLineEnd() && !this.#beforeLf()) this.#line += 1;
    }
    return { problem: `has a quote, opened on line ${opened}, that is never closed; nothing after it could be read` };
  }

  #closed(start: number, doubled: boolean): string | { problem: string } {
    const text = this.#bytes.toString("utf8", start, this.#at);
    this.#at += 1;
    if (this.#atCellEnd()) return doubled ? text.replaceAll('""', '"') : text;
    while (this.#at < this.#bytes.length && !this.#atLineEnd()) this.#at += 1;
    return { problem: "has text after a closing quote; write a quote inside a quoted cell twice" };
  }

  #atLineEnd(): boolean {
    const byte = this.#bytes[this.#at];
    return byte === LF || byte === CR;
  }

  #atCellEnd(): boolean {
    return this.#at >= this.#bytes.length || this.#bytes[this.#at] === this.#delimiter || this.#atLineEnd();
  }

  /** True on the CR of a CRLF. */
  #beforeLf(): boolean {
    return this.#bytes[this.#at] === CR && this.#bytes[this.#at + 1] === LF;
  }

  #skipLineEnd(): void {
    if (!this.#atLineEnd()) return;
    this.#at += this.#beforeLf() ? 2 : 1;
    this.#line += 1;
  }
}
