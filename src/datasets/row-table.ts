import { RepeatedIds } from "../core/content-id.js";
import type { LoadOptions } from "../core/dataset.js";
import { DatasetError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { ColumnCheck, matches } from "./columns.js";
import { isBadRow, type RawRow, type SourceRow } from "./source-row.js";
import type { Conversion } from "./to-example.js";

/** What rows become, and how strictly they are taken. */
export interface RowTableOptions extends Pick<LoadOptions, "maxExamples" | "head" | "map" | "filter" | "skipBadRows"> {
  /** What messages call all of the rows. */
  name: string;
  convert: Convert;
  /** Numbers ids that repeat instead of refusing them: for data that the user cannot mend. */
  numbersRepeatedIds?: boolean;
  /** Filters see the fields of the examples besides the columns of the rows. */
  filtersExamples?: boolean;
}

/** Turns a row into examples; `file` is the position of its file among those being read. */
type Convert = (row: RawRow, file: number) => Conversion | readonly Conversion[];

/** Where a row stands: the position of its file, and how lines of that file are written. */
export interface RowPlace {
  readonly file: number;
  readonly at: (line: number) => string;
}

/** More lines than any file has. */
const FILE_STRIDE = 2 ** 40;

/** Collects rows as examples: filtered, converted, each id once, bad rows refused or counted. */
export class RowTable {
  readonly examples: Example[] = [];
  /** Rows met so far, good or bad. */
  seen = 0;
  readonly #options: RowTableOptions;
  readonly #columns: ColumnCheck;
  /** Where each id was met: the number of the file and the line in one, because there may be millions. */
  readonly #places = new Map<string, number>();
  readonly #files: RowPlace[] = [];
  readonly #ids = new RepeatedIds();
  #bad = 0;
  #firstBad: string | null = null;
  #repeated = 0;

  constructor(options: RowTableOptions) {
    this.#options = options;
    this.#columns = new ColumnCheck(options.name, options);
  }

  /** True when no further row is needed. */
  get full(): boolean {
    return this.#options.head === true && this.examples.length >= (this.#options.maxExamples ?? Infinity);
  }

  add(source: SourceRow, place: RowPlace): void {
    this.seen += 1;
    if (isBadRow(source)) this.#reject(place.at(source.line), source.problem);
    else this.#addRow(source.line, source.row, place);
  }

  /** Call after the last row: what could only be known now. */
  finish(): void {
    this.#columns.requireComplete(this.full);
    this.#stopAtBadRow();
    if (this.examples.length > 0) return;
    const { name, filter } = this.#options;
    if (this.seen === 0) throw new DatasetError(`"${name}" is empty: it holds no rows.`);
    if (this.#bad > 0) throw new DatasetError(`No row of "${name}" could be used (first problem: ${this.#firstBad}).`);
    if (filter === undefined) throw new DatasetError(`No row of "${name}" asks anything.`);
    throw new DatasetError(`No row of "${name}" matches ${describeFilter(filter)}. ${this.#columns.knownValues()}`);
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.#bad > 0) notes.push(`${count(this.#bad, "bad row")} skipped (first: ${this.#firstBad})`);
    if (this.#repeated > 0) {
      const which = this.#options.numbersRepeatedIds === true ? "" : " without an id";
      notes.push(
        `${count(this.#repeated, "row")} of ${this.#options.name}${which} repeat an earlier one; kept under numbered ids`,
      );
    }
    return notes;
  }

  #addRow(line: number, row: RawRow, place: RowPlace): void {
    const { filter, filtersExamples = false, convert } = this.#options;
    this.#columns.see(row);
    if (this.#columns.complete) this.#stopAtBadRow();
    if (!filtersExamples && !this.#keeps(row)) return;
    const converted = convert(row, place.file);
    for (const one of isList(converted) ? converted : [converted]) {
      if ("problem" in one) this.#reject(place.at(line), one.problem);
      else if (!filtersExamples || filter === undefined || this.#keepsExample(row, one.example))
        this.#addExample(line, one, place);
    }
  }

  #keeps(row: RawRow): boolean {
    if (matches(row, this.#options.filter)) return true;
    if (this.examples.length === 0) this.#columns.noteValues(row);
    return false;
  }

  #keepsExample(row: RawRow, example: Example): boolean {
    const both = { ...row, ...example };
    this.#columns.see(both);
    return this.#keeps(both);
  }

  #addExample(line: number, { example, idFromContent }: Extract<Conversion, { example: Example }>, place: RowPlace) {
    if (idFromContent || this.#options.numbersRepeatedIds === true) this.#tellApart(example);
    const key = String(example.id);
    const other = this.#places.get(key);
    if (other !== undefined) {
      throw new DatasetError(
        `${place.at(line)}: the id "${key}" was used already at ${this.#placeOf(other)}. Ids tell results apart: make them unique, or leave the column out to have them made from the content.`,
      );
    }
    this.#files[place.file] ??= place;
    this.#places.set(key, place.file * FILE_STRIDE + line);
    this.examples.push(example);
  }

  #placeOf(place: number): string {
    return this.#files[Math.floor(place / FILE_STRIDE)]?.at(place % FILE_STRIDE) ?? "an earlier row";
  }

  /** Equal rows have equal ids; numbered in file order they are apart and stable. */
  #tellApart(example: Example): void {
    const { id } = example;
    const own = this.#ids.next(String(id), (numbered) => this.#places.has(numbered));
    if (own === String(id)) return;
    example.id = own;
    this.#repeated += 1;
  }

  #reject(place: string, problem: string): void {
    this.#bad += 1;
    this.#firstBad ??= `${place}: the row ${problem}`;
    if (this.#columns.complete) this.#stopAtBadRow();
  }

  /**
   * Stops the load unless bad rows are to be skipped. While a column that the user named has not been met, the bad row
   * waits: a misspelt column makes every row bad, and the misspelling is the better message.
   */
  #stopAtBadRow(): void {
    if (this.#firstBad === null || this.#options.skipBadRows === true) return;
    throw new DatasetError(
      `${this.#firstBad}. Mend it, or pass --skip-bad-rows (skipBadRows: true) to leave such rows out.`,
    );
  }
}

function isList(converted: Conversion | readonly Conversion[]): converted is readonly Conversion[] {
  return Array.isArray(converted);
}

function describeFilter(filter: LoadOptions["filter"]): string {
  return Object.entries(filter ?? {})
    .map(([column, value]) => `${column}=${value}`)
    .join(" and ");
}

function count(n: number, thing: string): string {
  return `${n} ${thing}${n === 1 ? "" : "s"}`;
}
