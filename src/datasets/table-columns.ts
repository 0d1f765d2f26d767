import { DatasetError } from "../core/errors.js";
import { findClosestName } from "../core/suggest.js";
import type { ParquetTable } from "./parquet/index.js";

/** Column names, or paths to parts of them such as "answer.aliases"; only Parquet files are read in parts. */
export interface ColumnSelection {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

interface ColumnRequest {
  columns?: ColumnSelection;
  filter?: Readonly<Record<string, string>>;
}

/** The columns to read of a table, or parts of them; throws if a required one is missing. */
export function selectTableColumns(
  table: ParquetTable,
  { columns, filter = {} }: ColumnRequest,
): readonly string[] | undefined {
  if (columns === undefined) return undefined;
  const missing = columns.required.find((path) => !table.has(path));
  if (missing !== undefined) throw createMissingColumnError(table, missing);
  return [...columns.required, ...columns.optional, ...Object.keys(filter)].filter((path) => table.has(path));
}

function createMissingColumnError(table: ParquetTable, missing: string): DatasetError {
  const known = table.listSimilarPaths(missing);
  const guess = findClosestName(missing, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return new DatasetError(
    `"${table.name}" has no column "${missing}", which this dataset requires.${hint} Its columns: ${known.join(", ")}. The dataset may have changed: pin an earlier revision with NAME@REVISION.`,
  );
}
