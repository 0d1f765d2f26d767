import type { Example } from "../core/example.js";
import { facetValue } from "../core/facets.js";
import { RepeatedIds } from "../core/fingerprint.js";
import { type RowFile, rowsOf } from "./row-file.js";
import { RowTable, type RowTableOptions } from "./row-table.js";
import { requireMaxExamples, type Sampling, takeSample } from "./sample.js";
import type { ReadOptions, SourceRow } from "./source-row.js";
import { type Columns, columnsOf } from "./table-columns.js";

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

/** What was read. */
export interface LoadedRows {
  examples: readonly Example[];
  notes: string[];
  /** The field of the examples by which intervals are made, where the sample is from blocks of a table. */
  groupBy?: string;
}

/**
 * Reads examples from files: no more of them than the sample needs, where the format allows that.
 * @example
 * await loadRows({ name: "data", rowFiles: [await openRowFile({ path: "data.parquet" })], convert: toExample, maxExamples: 50 });
 */
export async function loadRows(wanted: RowsToLoad): Promise<LoadedRows> {
  requireMaxExamples(wanted.maxExamples);
  const collected = new RowTable(wanted);
  const loaded = (await loadSample(collected, wanted)) ?? (await loadAll(collected, wanted));
  const repeated = collected.mayRepeatIds ? numberRepeats(loaded.examples) : 0;
  const notes = [...collected.notes(), ...(repeated === 0 ? [] : [noteOnRepeats(wanted, repeated)]), ...loaded.notes];
  return { ...loaded, notes };
}

/** What an example is counted to when a sample is stratified by a field. */
export function stratum(example: Example, field: string): string {
  return String(facetValue(example, field) ?? "");
}

/** What a sample needs of tables alone; null where all has to be read. */
async function loadSample(collected: RowTable, wanted: RowsToLoad): Promise<LoadedRows | null> {
  if (wanted.rowFiles.every(({ table }) => table === undefined)) return null;
  const { fillFromTables, tablesToSample } = await import("./table-sample.js");
  const tables = tablesToSample(wanted);
  return tables === null ? null : fillFromTables(collected, { wanted, tables });
}

async function loadAll(collected: RowTable, wanted: RowsToLoad): Promise<LoadedRows> {
  for (const file of wanted.rowFiles.keys()) if (!collected.full) await fill(collected, wanted, file);
  collected.finish();
  return { examples: takeSample(collected.examples, wanted, wanted.stratumOf), notes: [] };
}

async function fill(collected: RowTable, wanted: RowsToLoad, file: number): Promise<void> {
  const rowFile = wanted.rowFiles[file];
  if (rowFile === undefined) return;
  const place = { file, at: rowFile.at };
  for await (const batch of allRows(wanted, rowFile)) {
    for (const source of batch) {
      collected.add(source, place);
      if (collected.full) return;
    }
  }
}

function allRows(wanted: RowsToLoad, file: RowFile): AsyncIterable<readonly SourceRow[]> {
  const { table } = file;
  return table === undefined ? file.batches(readOptions(wanted)) : rowsOf(table, "all", columnsOf(table, wanted));
}

function readOptions({ seen, header }: RowsToLoad): ReadOptions {
  return { ...(seen === undefined ? {} : { seen }), ...(header === undefined ? {} : { header }) };
}

function noteOnRepeats({ name, numbersRepeatedIds = false }: RowsToLoad, repeated: number): string {
  const which = numbersRepeatedIds ? "" : " without an id";
  return `${repeated} row${repeated === 1 ? "" : "s"} of ${name}${which} repeat an earlier one; kept under numbered ids`;
}

/**
 * Numbers ids that repeat among the examples of a run ("…-2", "…-3", in their order) and says how many those are.
 *
 * It is done after the sample is taken, for every format alike. A table is read in part, so that nobody knows how often
 * a row occurs before it; an id by how often it occurs in the whole file would be another one for Parquet than for JSONL.
 * So the same sample has the same ids whatever the file is written in. Rows without an id that repeat are equal: which of
 * them is "…-2" makes no difference, and the ids of a sample are among those of every larger one. For ids of their own
 * that a built-in dataset repeats for different rows there is no such rule: which row is "…-2" may change with the sample.
 */
function numberRepeats(examples: readonly Example[]): number {
  const given = new Set(examples.map(({ id }) => String(id)));
  if (given.size === examples.length) return 0;
  const ids = new RepeatedIds();
  for (const example of examples) {
    const id = String(example.id);
    const numbered = ids.next(id, (other) => other !== id && given.has(other));
    if (numbered !== id) example.id = numbered;
  }
  return examples.length - given.size;
}
