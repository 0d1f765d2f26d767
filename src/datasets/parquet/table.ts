/** A row group for the sampler: its rows, and the cost of reading some of them. */
export interface Region {
  readonly first: number;
  readonly rows: number;
  /** Bytes to read for all of its rows. */
  readonly bytes: number;
  /** True if the file lists its pages, or if they are too small to matter. */
  readonly isIndexed: boolean;
  /** The columns that make up those bytes. Empty if the region is always read whole. */
  readonly parts: readonly RegionPart[];
}

/** The values of one leaf column in a region. */
interface RegionPart {
  readonly bytes: number;
  /** Bytes needed for any row, such as a dictionary. */
  readonly fixed: number;
  /** Rows per page. */
  readonly pageRows: number;
}

/** A row and its position in the table, counted from 0. */
export interface TableRow {
  readonly position: number;
  readonly row: Record<string, unknown>;
}

/** The file of a row, and its number there, counted from 1. */
export interface TableRowLocation {
  readonly name: string;
  /** Index of the file, counted from 0. */
  readonly file: number;
  readonly row: number;
}

/** Number of rows and seed; `columns` are the columns, or parts of them, that will be read. */
export interface SampleOptions {
  readonly count: number;
  readonly seed: number;
  readonly columns?: readonly string[] | undefined;
}

/** Positions of rows, and the block number of each; null if they were drawn from all rows. */
export interface DrawnRows {
  readonly positions: Uint32Array;
  readonly blocks: Uint32Array | null;
}

/** A sample by ascending positions; `note` is set if it could not be drawn from all rows. */
export interface TableSample extends DrawnRows {
  readonly note: string | null;
  /**
   * The same draw in the order in which it was made, from row number `from` up to but excluding `to`; the sample is its
   * beginning. Later rows replace those that turn out to be unusable.
   */
  drawn(from: number, to: number): DrawnRows;
}

/**
 * A Parquet file, or several read as one. A column path such as "answers.text" selects a part of a column: no other part is
 * read, and the row contains the column with that part only. Rows of several files have the columns of their own file.
 */
export interface ParquetTable {
  /** Name for messages. */
  readonly name: string;
  readonly rows: number;
  /** Names of whole columns. */
  readonly columns: readonly string[];
  /** The size of the file, or of all files. */
  readonly bytes: number;
  /** Whether the column, or part of one, exists in at least one file. */
  has(path: string): boolean;
  /** Existing paths in place of a missing one, for messages. */
  listSimilarPaths(path: string): readonly string[];
  /** Reads the rows at these ascending positions in batches. Default: all columns. */
  read(positions: Uint32Array | "all", columns?: readonly string[]): AsyncIterable<readonly TableRow[]>;
  /** Reads all values of a column or a part of one, for filters and strata; undefined in rows of a file without it. */
  readColumn(path: string): Promise<readonly unknown[]>;
  /** Draws a seeded random sample. */
  sample(options: SampleOptions): Promise<TableSample>;
  locateRow(position: number): TableRowLocation;
  /** The estimated cost of reading parts of the table. */
  listRegions(columns?: readonly string[]): Promise<readonly Region[]>;
  close(): Promise<void>;
}
