/** A row group as the sampler sees it: its rows, and what reading some of them costs. */
export interface Region {
  readonly first: number;
  readonly rows: number;
  /** Bytes to read for all of its rows. */
  readonly bytes: number;
  /** True when the file lists where its pages are, or when they are too small to matter. */
  readonly isIndexed: boolean;
  /** The columns that those bytes are. Empty when the region is always read whole. */
  readonly parts: readonly RegionPart[];
}

/** The values of one leaf in a region. */
interface RegionPart {
  readonly bytes: number;
  /** Bytes that are needed for any row, such as a dictionary. */
  readonly fixed: number;
  /** Rows that come with each other. */
  readonly pageRows: number;
}

/** A row and where in the table it is, counted from 0. */
export interface TableRow {
  readonly position: number;
  readonly row: Record<string, unknown>;
}

/** The file that a row is in, and its number there, counted from 1. */
export interface RowPlace {
  readonly name: string;
  /** The position of the file among those that are read as one, counted from 0. */
  readonly file: number;
  readonly row: number;
}

/** How many rows to draw, and from what seed; `columns` are those, or parts of those, that will be read. */
export interface SampleOptions {
  readonly count: number;
  readonly seed: number;
  readonly columns?: readonly string[] | undefined;
}

/** Positions of rows, and the number of the block that each was drawn from; null when they were drawn from all rows. */
export interface DrawnRows {
  readonly positions: Uint32Array;
  readonly blocks: Uint32Array | null;
}

/** A sample, by ascending positions; `note` says so when they could not be drawn from all rows. */
export interface TableSample extends DrawnRows {
  readonly note: string | null;
  /**
   * The same draw in the order it is made, from its row number `from` up to, not including, `to`; the sample is its
   * beginning. Beyond it are the rows to take in place of some that turn out to be of no use.
   */
  drawn(from: number, to: number): DrawnRows;
}

/**
 * A Parquet file, or several that are read as one. Where columns are asked for, a path such as "answers.text" asks for a
 * part of one: no other part is read, and the row holds the column with that part alone. Rows of several files hold those
 * of the columns that their own file has.
 */
export interface ParquetTable {
  /** As messages name it. */
  readonly name: string;
  readonly rows: number;
  /** The names of whole columns. */
  readonly columns: readonly string[];
  /** The size of the file, or of all files. */
  readonly bytes: number;
  /** True when there is such a column, or such a part of one; of several files one that has it is enough. */
  has(path: string): boolean;
  /** The paths that there are in the place of one that is not, for messages. */
  pathsNear(path: string): readonly string[];
  /** The rows at these ascending positions, in batches, with these columns; all rows, or all columns, unless given. */
  read(positions: Uint32Array | "all", columns?: readonly string[]): AsyncIterable<readonly TableRow[]>;
  /** Every value of a column or a part of one, for filters and strata; undefined in the rows of a file without it. */
  column(path: string): Promise<readonly unknown[]>;
  /** The positions of a seeded random sample. */
  sample(options: SampleOptions): Promise<TableSample>;
  /** The file and the row in it that a position stands for. */
  placeOf(position: number): RowPlace;
  /** What reading parts of the table costs, as far as that is known without reading them. */
  regions(columns?: readonly string[]): Promise<readonly Region[]>;
  close(): Promise<void>;
}
