import { DatasetError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { facetValue } from "../core/facets.js";
import { didYouMean, nearest } from "../core/suggest.js";
import type { ParquetTable, TableSample } from "../parquet/index.js";
import { scalarText } from "./columns.js";
import { type RowFile, rowsOf } from "./row-file.js";
import { type RowPlace, RowTable, type RowTableOptions } from "./row-table.js";
import { requireMaxExamples, type Sampling, sampleSeed, takeSample } from "./sample.js";
import type { ReadOptions, SourceRow } from "./source-row.js";

/** Rows to be read from files, and what becomes of them. */
export interface RowsToLoad extends RowTableOptions, Sampling, Omit<ReadOptions, "name"> {
  rowFiles: readonly RowFile[];
  /** The columns that are read; all unless given. */
  columns?: Columns;
  /** What a sample is stratified by. */
  stratumOf?: (example: Example) => string | undefined;
  /** True when rows may give several examples or none, so that a sample cannot be taken before they are read. */
  isExpanding?: boolean;
}

/** Names of columns, or paths to parts of them such as "answer.aliases"; only Parquet files are read in such parts. */
interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export interface LoadedRows {
  examples: readonly Example[];
  notes: string[];
}

/**
 * Reads examples from files: no more of them than the sample needs, where the format allows that.
 * @example
 * await loadRows({ name: "data", rowFiles: [await openRowFile({ path: "data.parquet" })], convert: toExample, maxExamples: 50 });
 */
export async function loadRows(wanted: RowsToLoad): Promise<LoadedRows> {
  requireMaxExamples(wanted.maxExamples);
  const collected = new RowTable(wanted);
  const notes: string[] = [];
  await fill(collected, placedRows(wanted, notes));
  collected.finish();
  return {
    examples: takeSample(collected.examples, wanted, wanted.stratumOf),
    notes: [...collected.notes(), ...notes],
  };
}

/** What an example is counted to when a sample is stratified by a field. */
export function stratum(example: Example, field: string): string {
  return String(facetValue(example, field) ?? "");
}

/** A batch of rows with where they stand. */
type Placed = [batch: readonly SourceRow[], place: RowPlace];

async function fill(collected: RowTable, batches: AsyncIterable<Placed>): Promise<void> {
  for await (const [batch, place] of batches) {
    for (const source of batch) {
      collected.add(source, place);
      if (collected.full) return;
    }
  }
}

async function* placedRows(wanted: RowsToLoad, notes: string[]): AsyncGenerator<Placed> {
  const { rowFiles: files, maxExamples, head = false, stratumOf, isExpanding = false } = wanted;
  const tables = files.flatMap(({ table }) => table ?? []);
  const isInParts = maxExamples !== undefined && !isExpanding && (head || stratumOf === undefined);
  const filters = Object.keys(wanted.filter ?? {});
  const isKnown = tables.length > 0 && filters.every((name) => tables[0]?.columns.includes(name));
  if (tables.length === files.length && isInParts && isKnown) yield* chosenRows(wanted, tables, notes);
  else for (const [file, rows] of files.entries()) yield* allRows(wanted, rows, file);
}

async function* allRows(wanted: RowsToLoad, rows: RowFile, file: number): AsyncGenerator<Placed> {
  const { table } = rows;
  const batches =
    table === undefined ? rows.batches(readOptions(wanted)) : rowsOf(table, "all", columnsOf(table, wanted));
  for await (const batch of batches) yield [batch, { file, at: rows.at }];
}

function readOptions({ seen, header }: RowsToLoad): ReadOptions {
  return { ...(seen === undefined ? {} : { seen }), ...(header === undefined ? {} : { header }) };
}

/** The rows of a sample alone, from tables that can be read in part. */
async function* chosenRows(
  wanted: RowsToLoad,
  tables: readonly ParquetTable[],
  notes: string[],
): AsyncGenerator<Placed> {
  const { joinTables } = await import("../parquet/index.js");
  for (const table of tables) columnsOf(table, wanted);
  const table = joinTables(tables);
  const columns = columnsOf(table, wanted);
  const { positions, note } = await choose(table, wanted, columns);
  if (note !== null) notes.push(`${wanted.name}: ${note}`);
  for await (const batch of rowsOf(table, positions, columns)) {
    for (const source of batch) {
      const { name, row } = table.placeOf(source.line - 1);
      const file = wanted.rowFiles.findIndex((one) => one.table?.name === name);
      yield [[{ ...source, line: row }], { file, at: (line) => `${name} row ${line}` }];
    }
  }
}

async function choose(
  table: ParquetTable,
  wanted: RowsToLoad,
  columns: readonly string[] | undefined,
): Promise<TableSample> {
  const { maxExamples: count = 0, head = false, filter } = wanted;
  if (filter === undefined && !head && count < table.rows)
    return table.sample({ count, seed: sampleSeed(wanted), columns });
  const kept = await positionsOf(table, filter ?? {});
  return { positions: Uint32Array.from(takeSample(kept, wanted)), note: null };
}

/** The rows that a filter keeps, found by reading its columns alone. */
async function positionsOf(table: ParquetTable, filter: Readonly<Record<string, string>>): Promise<number[]> {
  let kept = Array.from({ length: table.rows }, (_, position) => position);
  for (const [name, value] of Object.entries(filter)) {
    const values = await table.column(name);
    const matching = kept.filter((position) => scalarText(values[position]) === value);
    if (matching.length === 0) throw nothingMatches(table, name, value, values);
    kept = matching;
  }
  return kept;
}

const SHOWN_VALUES = 10;

function nothingMatches(table: ParquetTable, name: string, value: string, values: readonly unknown[]): DatasetError {
  const known = [...new Set(values.map(scalarText))].filter((one) => one !== undefined);
  const more = known.length > SHOWN_VALUES ? ", …" : "";
  return new DatasetError(
    `No row of "${table.name}" matches ${name}=${value}.${didYouMean(value, known)} Values of ${name}: ${known.slice(0, SHOWN_VALUES).join(", ")}${more}.`,
  );
}

/** The columns to read of a table, or the parts of them; a required one that it lacks is an error. */
function columnsOf(table: ParquetTable, { columns, filter = {} }: RowsToLoad): readonly string[] | undefined {
  if (columns === undefined) return undefined;
  const missing = columns.required.find((path) => !table.has(path));
  if (missing !== undefined) throw lacks(table, missing);
  return [...columns.required, ...columns.optional, ...Object.keys(filter)].filter((path) => table.has(path));
}

/** Lists what there is in the place of the missing column. */
function lacks(table: ParquetTable, missing: string): DatasetError {
  const known = table.pathsNear(missing);
  const guess = nearest(missing, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return new DatasetError(
    `"${table.name}" has no column "${missing}", which this dataset is read by.${hint} Its columns: ${known.join(", ")}. It may have changed: pin an earlier revision with NAME@REVISION.`,
  );
}
