import type { Example } from "../core/example.js";
import { facetValue } from "../core/facets.js";
import { RepeatedIds } from "../core/fingerprint.js";
import { type RowFile, rowsOf } from "./row-file.js";
import { RowTable, type RowTableOptions } from "./row-table.js";
import { requireMaxExamples, type Sampling, takeSample } from "./sample.js";
import type { ReadOptions, SourceRow } from "./source-row.js";
import { type Columns, columnsOf } from "./table-columns.js";

/** What to read from files, and how. */
export interface RowsToLoad extends RowTableOptions, Sampling, Omit<ReadOptions, "name"> {
  rowFiles: readonly RowFile[];
  /** Columns to read. Default: all. */
  columns?: Columns;
  /** Stratum of an example, for stratified samples. */
  stratumOf?: (example: Example) => string | undefined;
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
export async function loadRows(wanted: RowsToLoad): Promise<LoadedRows> {
  requireMaxExamples(wanted.maxExamples);
  const collected = new RowTable(wanted);
  const loaded = (await loadSample(collected, wanted)) ?? (await loadAll(collected, wanted));
  const repeated = collected.mayRepeatIds ? numberRepeats(loaded.examples) : 0;
  const notes = [...collected.notes(), ...(repeated === 0 ? [] : [noteOnRepeats(wanted, repeated)]), ...loaded.notes];
  return { ...loaded, notes };
}

export function stratum(example: Example, field: string): string {
  return String(facetValue(example, field) ?? "");
}

/** Reads only the sample from tables; null if everything has to be read. */
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
