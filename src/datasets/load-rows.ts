import type { Example } from "../core/index.js";
import { DatasetError, IdDeduplicator, type LoadOptions, readFacetValue } from "../core/index.js";
import { ColumnCheck, type ColumnSelection, matchesFilter, selectTableColumns } from "./columns.js";
import type { Conversion } from "./convert-row.js";
import { findUnsentImages } from "./example-files.js";
import { type RowFile, readTableRows } from "./row-file.js";
import { requireMaxExamples, type SamplingOptions, takeSample } from "./sample.js";
import { isBadRow, type RawRow, type RowReadOptions, type SourceRow } from "./source-row.js";

/** How rows become examples, and how strictly. */
interface ExampleCollectorOptions extends Pick<LoadOptions, "maxExamples" | "head" | "map" | "filter" | "skipBadRows"> {
  /** Name of all rows together, for messages. */
  name: string;
  convert: RowConverter;
  /** Repeated ids are numbered after sampling instead of rejected: for data that the user cannot fix. */
  numbersRepeatedIds?: boolean;
  /** A filter matches a column of the row or a field of the example. */
  filtersExamples?: boolean;
}

/** Converts a row to examples; `file` is the index of its file, `line` its place there. */
type RowConverter = (row: RawRow, file: number, line: number) => Conversion | readonly Conversion[];

/** The index of a row's file, and how places in it are formatted. */
interface RowOrigin {
  readonly file: number;
  readonly at: (line: number) => string;
}

/** More lines than any file has. */
const FILE_STRIDE = 2 ** 40;

/**
 * Collects rows as examples: filters, converts, and rejects or counts bad rows. Repeated ids of the rows' own are rejected.
 * In a file that is read in part, only the drawn rows are checked.
 */
export class ExampleCollector {
  readonly examples: Example[] = [];
  /** False if every id so far is unique and from the file. */
  mayRepeatIds = false;
  /** Rows so far, good or bad. */
  seen = 0;
  readonly #options: ExampleCollectorOptions;
  readonly #columns: ColumnCheck;
  /** Place of each of the rows' own ids: file index and line in one number, because there may be millions. */
  readonly #places = new Map<string, number>();
  readonly #files: RowOrigin[] = [];
  #bad = 0;
  #firstBad: string | null = null;

  constructor(options: ExampleCollectorOptions) {
    this.#options = options;
    this.#columns = new ColumnCheck(options.name, options);
  }

  /** True if no further row is needed. */
  get isFull(): boolean {
    return this.#options.head === true && this.examples.length >= (this.#options.maxExamples ?? Infinity);
  }

  /** Returns the example made from the row, the last if several; undefined if none. */
  add(source: SourceRow, place: RowOrigin): Example | undefined {
    const before = this.examples.length;
    this.seen += 1;
    if (isBadRow(source)) this.#reject(place.at(source.line), source.problem);
    else this.#addRow(source.line, source.row, place);
    return this.examples.length > before ? this.examples.at(-1) : undefined;
  }

  /** For files that list their columns: throws if one that the user named is missing. */
  requireColumns(columns: readonly string[]): void {
    this.#columns.addColumns(columns);
    this.#columns.requireComplete(false);
  }

  /** Call after the last row, for checks that need all rows. */
  finish(): void {
    this.#columns.requireComplete(this.isFull);
    this.#stopAtBadRow();
    if (this.examples.length > 0) return;
    const { name, filter } = this.#options;
    if (this.seen === 0) throw new DatasetError(`"${name}" is empty: it has no rows.`);
    if (this.#bad > 0) throw new DatasetError(`No row of "${name}" could be used (first problem: ${this.#firstBad}).`);
    if (filter === undefined) throw new DatasetError(`No row of "${name}" gives an example.`);
    throw this.#columns.createFilterError(filter);
  }

  listNotes(): string[] {
    if (this.#bad === 0) return [];
    return [`${this.#bad} bad row${this.#bad === 1 ? "" : "s"} skipped (first: ${this.#firstBad})`];
  }

  #addRow(line: number, row: RawRow, place: RowOrigin): void {
    const { filtersExamples = false, convert } = this.#options;
    this.#columns.addRow(row);
    if (this.#columns.isComplete) this.#stopAtBadRow();
    if (!filtersExamples && !this.#isKept(row)) return;
    const converted = convert(row, place.file, line);
    if (!isConversionList(converted)) this.#addConverted(row, converted, { line, place });
    else for (const one of converted) this.#addConverted(row, one, { line, place });
  }

  #addConverted(row: RawRow, converted: Conversion, { line, place }: { line: number; place: RowOrigin }): void {
    if ("problem" in converted) this.#reject(place.at(line), converted.problem);
    else if (this.#options.filtersExamples !== true || this.#isKept(row, converted.example))
      this.#addExample(line, converted, place);
  }

  #isKept(row: RawRow, example?: Example): boolean {
    if (example !== undefined) this.#columns.addRow(example);
    if (matchesFilter(row, this.#options.filter, example)) return true;
    if (this.examples.length === 0) this.#columns.recordValues(row, example);
    return false;
  }

  #addExample(line: number, { example, idFromContent }: Extract<Conversion, { example: Example }>, place: RowOrigin) {
    if (idFromContent || this.#options.numbersRepeatedIds === true) this.mayRepeatIds = true;
    else this.#requireNew(String(example.id), line, place);
    this.examples.push(example);
  }

  #requireNew(id: string, line: number, place: RowOrigin): void {
    const other = this.#places.get(id);
    if (other !== undefined) {
      throw new DatasetError(
        `${place.at(line)}: the id "${id}" is already used at ${this.#describePlace(other)}. Make ids unique, or remove the column to have ids generated from the content.`,
      );
    }
    this.#files[place.file] ??= place;
    this.#places.set(id, place.file * FILE_STRIDE + line);
  }

  #describePlace(place: number): string {
    return this.#files[Math.floor(place / FILE_STRIDE)]?.at(place % FILE_STRIDE) ?? "an earlier row";
  }

  #reject(place: string, problem: string): void {
    this.#bad += 1;
    this.#firstBad ??= `${place}: the row ${problem}`;
    if (this.#columns.isComplete) this.#stopAtBadRow();
  }

  /**
   * Stops the load unless bad rows are skipped. While a column that the user named has not been found, it waits: a misspelled
   * column makes every row bad, and is the better message.
   */
  #stopAtBadRow(): void {
    if (this.#firstBad === null || this.#options.skipBadRows === true) return;
    throw new DatasetError(
      `${this.#firstBad}. Fix the row, or pass --skip-bad-rows (skipBadRows: true) to skip such rows.`,
    );
  }
}

function isConversionList(converted: Conversion | readonly Conversion[]): converted is readonly Conversion[] {
  return Array.isArray(converted);
}

/** What to read from files, and how. */
export interface LoadRowsOptions extends ExampleCollectorOptions, SamplingOptions, Omit<RowReadOptions, "name"> {
  rowFiles: readonly RowFile[];
  /** Columns to read. Default: all. */
  columns?: ColumnSelection;
  /** Stratum of an example, for stratified samples. */
  getStratum?: (example: Example) => string | undefined;
  /** True if rows may give several examples or none, so that all must be read before sampling. */
  isExpanding?: boolean;
}

export interface LoadedRows {
  examples: readonly Example[];
  notes: string[];
  /** Field of the examples to cluster intervals by, if the sample was drawn from blocks of a table. */
  groupBy?: string;
}

/**
 * Reads examples from files; only as many as the sample needs, if the format allows it.
 * @example
 * await loadRows({ name: "data", rowFiles: [await openRowFile({ path: "data.parquet" })], convert: convertRow, maxExamples: 50 });
 */
export async function loadRows(wanted: LoadRowsOptions): Promise<LoadedRows> {
  requireMaxExamples(wanted.maxExamples);
  const collected = new ExampleCollector(wanted);
  const loaded = (await tryLoadSample(collected, wanted)) ?? (await loadAllRows(collected, wanted));
  const repeated = collected.mayRepeatIds ? numberRepeatedIds(loaded.examples) : 0;
  const [first] = loaded.examples;
  const unsent = first === undefined ? null : findUnsentImages(first);
  const notes = [
    ...collected.listNotes(),
    ...(unsent === null ? [] : [formatUnsentNote(wanted, unsent)]),
    ...(repeated === 0 ? [] : [formatRepeatsNote(wanted, repeated)]),
    ...loaded.notes,
  ];
  return { ...loaded, notes };
}

function formatUnsentNote({ name }: Pick<LoadRowsOptions, "name">, column: string): string {
  return `${name}: the column "${column}" looks like images, but models are not sent it: pass --map images=${column}, or call it "images"`;
}

export function getStratum(example: Example, field: string): string {
  return String(readFacetValue(example, field) ?? "");
}

/** Reads only the sample from tables; null if everything has to be read. */
async function tryLoadSample(collected: ExampleCollector, wanted: LoadRowsOptions): Promise<LoadedRows | null> {
  if (wanted.rowFiles.every(({ table }) => table === undefined)) return null;
  const { fillFromTables, selectTablesToSample } = await import("./table-sample.js");
  const tables = selectTablesToSample(wanted);
  return tables === null ? null : fillFromTables(collected, { wanted, tables });
}

async function loadAllRows(collected: ExampleCollector, wanted: LoadRowsOptions): Promise<LoadedRows> {
  for (const file of wanted.rowFiles.keys()) if (!collected.isFull) await addFileRows(collected, wanted, file);
  collected.finish();
  return { examples: takeSample(collected.examples, wanted, wanted.getStratum), notes: [] };
}

async function addFileRows(collected: ExampleCollector, wanted: LoadRowsOptions, file: number): Promise<void> {
  const rowFile = wanted.rowFiles[file];
  if (rowFile === undefined) return;
  const place = { file, at: rowFile.at };
  for await (const batch of readAllRows(wanted, rowFile)) {
    for (const source of batch) {
      collected.add(source, place);
      if (collected.isFull) return;
    }
  }
}

function readAllRows(wanted: LoadRowsOptions, file: RowFile): AsyncIterable<readonly SourceRow[]> {
  const { table } = file;
  return table === undefined
    ? file.batches(pickReadOptions(wanted))
    : readTableRows(table, "all", selectTableColumns(table, wanted));
}

function pickReadOptions({ seen, header }: LoadRowsOptions): RowReadOptions {
  return { ...(seen === undefined ? {} : { seen }), ...(header === undefined ? {} : { header }) };
}

function formatRepeatsNote({ name, numbersRepeatedIds = false }: LoadRowsOptions, repeated: number): string {
  const which = numbersRepeatedIds ? "" : " without an id";
  return `${repeated} row${repeated === 1 ? "" : "s"} of ${name}${which} repeat an earlier one; kept with numbered ids`;
}

/**
 * Numbers ids that repeat among the examples of a run ("…-2", "…-3", in order) and returns how many there are.
 *
 * This happens after sampling, for all formats: tables are read in part, so it is unknown how often a row occurs before it,
 * and counting over the whole file would give Parquet other ids than JSONL. So the same sample has the same ids in every
 * format. Repeated rows without an id are equal, so it does not matter which of them is "…-2", and the ids of a sample are
 * among those of every larger one. This does not hold if a built-in dataset repeats its own ids for different rows: which
 * row is "…-2" may change with the sample.
 */
function numberRepeatedIds(examples: readonly Example[]): number {
  const given = new Set(examples.map(({ id }) => String(id)));
  if (given.size === examples.length) return 0;
  const ids = new IdDeduplicator();
  for (const example of examples) {
    const id = String(example.id);
    const numbered = ids.makeUnique(id, (other) => other !== id && given.has(other));
    if (numbered !== id) example.id = numbered;
  }
  return examples.length - given.size;
}
