/** A row as its file holds it: columns by name. */
export type RawRow = Readonly<Record<string, unknown>>;

/** A row with its place in the file (counted from 1), or what is wrong at that place. */
export type SourceRow = { readonly line: number; readonly row: RawRow } | BadRow;

export interface BadRow {
  readonly line: number;
  readonly problem: string;
}

/**
 * Reads a file's rows in batches: awaiting every single row would cost more than parsing it.
 * Malformed rows come as `BadRow`, so that the caller decides whether one stops the load.
 */
export type RowReader = (path: string, options?: ReadOptions) => AsyncIterable<readonly SourceRow[]>;

export interface ReadOptions {
  /** Told every byte that is read. */
  seen?: ByteSink;
  /** The names of the columns, for a text file that has no line with them. */
  header?: readonly string[];
  /** What messages call the file, where it is not its path. */
  name?: string;
}

/** Told every byte that is read, such as a hash that identifies the file. */
interface ByteSink {
  update(bytes: Uint8Array): unknown;
}

export function isBadRow(source: SourceRow): source is BadRow {
  return "problem" in source;
}

export function isRawRow(value: unknown): value is RawRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
