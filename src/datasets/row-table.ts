import { RepeatedIds } from "../core/content-id.js";
import type { LoadOptions } from "../core/dataset.js";
import { DatasetError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { ColumnCheck, matches } from "./columns.js";
import { isBadRow, type RawRow, type SourceRow } from "./source-row.js";
import { type Conversion, toExample } from "./to-example.js";

export interface RowTableOptions extends LoadOptions {
  path: string;
  /** Where a row stands, as a person would look it up, e.g. `data.jsonl:17`. */
  at: (line: number) => string;
  textOnly: boolean;
  dataset: string;
}

/** Collects a file's rows as examples: filtered, converted, each id once, bad rows refused or counted. */
export class RowTable {
  readonly examples: Example[] = [];
  /** Rows met so far, good or bad. */
  seen = 0;
  readonly #options: RowTableOptions;
  readonly #columns: ColumnCheck;
  readonly #lines = new Map<string, number>();
  readonly #ids = new RepeatedIds();
  #bad = 0;
  #firstBad: string | null = null;
  #repeated = 0;

  constructor(options: RowTableOptions) {
    this.#options = options;
    this.#columns = new ColumnCheck(options.path, options);
  }

  /** True when no further row is needed. */
  get full(): boolean {
    return this.#options.head === true && this.examples.length >= (this.#options.maxExamples ?? Infinity);
  }

  add(source: SourceRow): void {
    this.seen += 1;
    if (isBadRow(source)) this.#reject(source.line, source.problem);
    else this.#addRow(source.line, source.row);
  }

  /** Call after the last row: what could only be known now. */
  finish(): void {
    this.#columns.requireComplete(this.full);
    this.#stopAtBadRow();
    if (this.examples.length > 0) return;
    const { path, filter } = this.#options;
    if (this.seen === 0) throw new DatasetError(`"${path}" is empty: it holds no rows.`);
    if (this.#bad > 0) throw new DatasetError(`No row of "${path}" could be used (first problem: ${this.#firstBad}).`);
    throw new DatasetError(`No row of "${path}" matches ${describeFilter(filter)}. ${this.#columns.knownValues()}`);
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.#bad > 0) notes.push(`${count(this.#bad, "bad row")} skipped (first: ${this.#firstBad})`);
    if (this.#repeated > 0) {
      notes.push(
        `${count(this.#repeated, "row")} of ${this.#options.path} without an id repeat an earlier one; kept under numbered ids`,
      );
    }
    return notes;
  }

  #addRow(line: number, row: RawRow): void {
    this.#columns.see(row);
    if (this.#columns.complete) this.#stopAtBadRow();
    if (!matches(row, this.#options.filter)) {
      if (this.examples.length === 0) this.#columns.noteValues(row);
      return;
    }
    const converted = toExample(row, this.#options);
    if ("problem" in converted) this.#reject(line, converted.problem);
    else this.#addExample(line, converted);
  }

  #addExample(line: number, { example, idFromContent }: Extract<Conversion, { example: Example }>): void {
    if (idFromContent) this.#tellApart(example);
    const key = String(example.id);
    const other = this.#lines.get(key);
    if (other !== undefined) {
      const { at } = this.#options;
      throw new DatasetError(
        `${at(line)}: the id "${key}" was used already at ${at(other)}. Ids tell results apart: make them unique, or leave the column out to have them made from the content.`,
      );
    }
    this.#lines.set(key, line);
    this.examples.push(example);
  }

  /** Equal rows have equal ids; numbered in file order they are apart and stable. */
  #tellApart(example: Example): void {
    const { id } = example;
    example.id = this.#ids.next(String(id), (numbered) => this.#lines.has(numbered));
    if (example.id !== id) this.#repeated += 1;
  }

  #reject(line: number, problem: string): void {
    this.#bad += 1;
    this.#firstBad ??= `${this.#options.at(line)}: the row ${problem}`;
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

function describeFilter(filter: LoadOptions["filter"]): string {
  return Object.entries(filter ?? {})
    .map(([column, value]) => `${column}=${value}`)
    .join(" and ");
}

function count(n: number, thing: string): string {
  return `${n} ${thing}${n === 1 ? "" : "s"}`;
}
