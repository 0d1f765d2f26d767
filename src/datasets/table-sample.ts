import type { Example } from "../core/index.js";
import { ColumnValues, createFilterError, formatScalar, selectTableColumns } from "./columns.js";
import type { ExampleCollector, LoadedRows, LoadRowsOptions } from "./load-rows.js";
import type { DrawnRows, ParquetTable, TableSample } from "./parquet/table.js";
import { readTableRows } from "./row-file.js";
import { computeDrawOrder, getSampleSeed } from "./sample.js";

/** The tables of the files if rows can be chosen before they are read; else null. */
export function selectTablesToSample(wanted: LoadRowsOptions): readonly ParquetTable[] | null {
  const { rowFiles, maxExamples, head = false, getStratum: stratumOf, isExpanding = false } = wanted;
  const tables = rowFiles.flatMap(({ table }) => table ?? []);
  if (tables.length === 0 || tables.length < rowFiles.length) return null;
  const isChosen = maxExamples !== undefined && !isExpanding && (head || stratumOf === undefined);
  return isChosen && isFilteredByColumns(wanted, tables) ? tables : null;
}

/** A filter on fields of examples can only be checked after conversion. */
function isFilteredByColumns(
  { filter = {}, filtersExamples = false }: LoadRowsOptions,
  tables: readonly ParquetTable[],
) {
  const names = Object.keys(filter);
  if (filtersExamples) return names.length === 0;
  return names.every((name) => tables.some(({ columns }) => columns.includes(name)));
}

export interface TableSampleInput {
  readonly wanted: LoadRowsOptions;
  readonly tables: readonly ParquetTable[];
}

/** A row that became an example: its rank in the draw, its position and its block. */
interface SampledRow {
  readonly example: Example;
  readonly rank: number;
  readonly position: number;
  readonly block: number | undefined;
}

/** Reads only the rows of a sample; skipped bad rows are replaced by the next ones of the draw. */
export async function fillFromTables(
  collected: ExampleCollector,
  { wanted, tables }: TableSampleInput,
): Promise<LoadedRows> {
  const { joinTables } = await import("./parquet/index.js");
  for (const table of tables) selectTableColumns(table, wanted);
  const table = joinTables(tables);
  if (table.rows > 0) collected.requireColumns(table.columns);
  const draw = await drawFromTable(table, wanted);
  const taken = await takeRows(collected, { table, draw, wanted });
  collected.finish();
  return {
    examples: taken.map(({ example }) => example),
    notes: draw.note === null ? [] : [`${wanted.name}: ${draw.note}`],
    ...markBlocks(taken, [...table.columns, ...Object.keys(wanted.map ?? {})]),
  };
}

type TableDraw = Pick<TableSample, "note" | "drawn">;

async function drawFromTable(table: ParquetTable, wanted: LoadRowsOptions): Promise<TableDraw> {
  const { maxExamples: count = 0, head = false, filter = {} } = wanted;
  if (Object.keys(filter).length === 0 && !head && count < table.rows)
    return table.sample({ count, seed: getSampleSeed(wanted), columns: selectTableColumns(table, wanted) });
  const kept = await findMatchingPositions(table, wanted);
  const order = computeDrawOrder(kept.length, wanted);
  const drawn = (from: number, to: number): DrawnRows => ({
    positions: order.slice(from, to).map((at) => kept[at] ?? 0),
    blocks: null,
  });
  return { note: null, drawn };
}

interface RowTakeOptions {
  readonly table: ParquetTable;
  readonly draw: TableDraw;
  readonly wanted: LoadRowsOptions;
}

/** Each round is twice as large as the last: with many bad rows, small rounds would read the same pages repeatedly. */
async function takeRows(
  collected: ExampleCollector,
  { table, draw, wanted }: RowTakeOptions,
): Promise<readonly SampledRow[]> {
  const { maxExamples: count = 0, skipBadRows = false } = wanted;
  const taken: SampledRow[] = [];
  for (let from = 0, size = count; taken.length < count; from += size, size *= 2) {
    const drawn = draw.drawn(from, from + size);
    if (drawn.positions.length === 0) break;
    for await (const one of takeRound(collected, { table, wanted, drawn, from })) taken.push(one);
    if (!skipBadRows) break;
  }
  const first = taken.length <= count ? taken : taken.sort((a, b) => a.rank - b.rank).slice(0, count);
  return first.sort((a, b) => a.position - b.position);
}

interface TakeRoundOptions {
  readonly table: ParquetTable;
  readonly wanted: LoadRowsOptions;
  readonly drawn: DrawnRows;
  /** Number of rows drawn before. */
  readonly from: number;
}

async function* takeRound(
  collected: ExampleCollector,
  { table, wanted, drawn, from }: TakeRoundOptions,
): AsyncGenerator<SampledRow> {
  const { positions, blocks } = drawn;
  // Rows arrive in file order; these are their ranks in the draw.
  const ranks = new Uint32Array(positions.keys()).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  let at = 0;
  for await (const batch of readTableRows(table, positions.toSorted(), selectTableColumns(table, wanted))) {
    for (const source of batch) {
      if (collected.isFull) return;
      const position = source.line - 1;
      const rank = ranks[at++] ?? 0;
      const { file, row: line } = table.locateRow(position);
      const where = wanted.rowFiles[file]?.at ?? String;
      const example = collected.add({ ...source, line }, { file, at: where });
      if (example !== undefined) yield { example, rank: from + rank, position, block: blocks?.[rank] };
    }
  }
}

/** Stores the block number in the examples, without overwriting a column of that name. */
function markBlocks(taken: readonly SampledRow[], names: readonly string[]): { groupBy?: string } {
  const groupBy = names.includes("block") ? "sampleBlock" : "block";
  let isFromBlocks = false;
  for (const { example, block } of taken) {
    if (block === undefined) continue;
    example[groupBy] = block;
    isFromBlocks = true;
  }
  return isFromBlocks ? { groupBy } : {};
}

interface RowFiltering {
  name: string;
  filter?: Readonly<Record<string, string>>;
}

/** The positions of rows that match a filter, found by reading only its columns; all without a filter. */
async function findMatchingPositions(table: ParquetTable, { name, filter = {} }: RowFiltering): Promise<Uint32Array> {
  let kept = Uint32Array.from({ length: table.rows }, (_, position) => position);
  const used: Record<string, string> = {};
  for (const [column, value] of Object.entries(filter)) {
    if (kept.length === 0) break;
    used[column] = value;
    const values = await table.readColumn(column);
    const matching = kept.filter((position) => formatScalar(values[position]) === value);
    if (matching.length === 0)
      throw createFilterError(name, used, new Map([[column, collectColumnValues(values, kept)]]));
    kept = matching;
  }
  return kept;
}

function collectColumnValues(values: readonly unknown[], positions: Uint32Array): ColumnValues {
  const known = new ColumnValues();
  for (const position of positions) known.add(values[position]);
  return known;
}
