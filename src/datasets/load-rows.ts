import type { Example } from "../core/example.js";
import { readFacetValue } from "../core/facets.js";
import { IdDeduplicator } from "../core/fingerprint.js";
import { type RowFile, readTableRows } from "./row-file.js";
import { ExampleCollector, type ExampleCollectorOptions } from "./row-table.js";
import { requireMaxExamples, type SamplingOptions, takeSample } from "./sample.js";
import type { RowReadOptions, SourceRow } from "./source-row.js";
import { type ColumnSelection, selectTableColumns } from "./table-columns.js";

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
  const notes = [
    ...collected.listNotes(),
    ...(repeated === 0 ? [] : [formatRepeatsNote(wanted, repeated)]),
    ...loaded.notes,
  ];
  return { ...loaded, notes };
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
