import type { Region } from "./regions.js";

/** A row and where in the table it is, counted from 0. */
export interface TableRow {
  readonly position: number;
  readonly row: Record<string, unknown>;
}

/** The file that a row is in, and its number there, counted from 1. */
export interface RowPlace {
  readonly name: string;
  readonly row: number;
}

/** How many rows to draw, and from what seed; `columns` are those that will be read. */
export interface SampleOptions {
  readonly count: number;
  readonly seed: number;
  readonly columns?: readonly string[] | undefined;
}

/** Positions of a sample, ascending; `note` says so when they could not be drawn from all rows. */
export interface TableSample {
  readonly positions: Uint32Array;
  readonly note: string | null;
}

/** A Parquet file, or several that are read as one. */
export interface ParquetTable {
  /** As messages name it. */
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly string[];
  /** The size of the file, or of all files. */
  readonly bytes: number;
  /** The rows at these ascending positions, in batches, with these columns; all rows, or all columns, unless given. */
  read(positions: Uint32Array | "all", columns?: readonly string[]): AsyncIterable<readonly TableRow[]>;
  /** Every value of a column, for filters and strata. */
  column(name: string): Promise<readonly unknown[]>;
  /** The positions of a seeded random sample. */
  sample(options: SampleOptions): Promise<TableSample>;
  /** The file and the row in it that a position stands for. */
  placeOf(position: number): RowPlace;
  /** What reading parts of the table costs, as far as that is known without reading them. */
  regions(columns?: readonly string[]): Promise<readonly Region[]>;
  close(): Promise<void>;
}
