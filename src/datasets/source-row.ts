/** A row of a file: values by column name. */
export type RawRow = Readonly<Record<string, unknown>>;

/** A row with its place in the file, counted from 1, or a problem at that place. */
export type SourceRow = { readonly line: number; readonly row: RawRow } | BadRow;

export interface BadRow {
  readonly line: number;
  readonly problem: string;
}

/**
 * Reads rows in batches: awaiting every single row would cost more than parsing it. Malformed rows come as `BadRow`, so
 * that the caller decides whether to stop.
 */
export type SourceRowReader = (path: string, options?: RowReadOptions) => AsyncIterable<readonly SourceRow[]>;

export interface RowReadOptions {
  /** Receives every byte that is read. */
  seen?: HashSink;
  /** Column names for a text file without a header. */
  header?: readonly string[];
  /** Name for messages. Default: the path. */
  name?: string;
}

/** Receives every byte that is read, such as a hash of the file. */
interface HashSink {
  update(bytes: Uint8Array): unknown;
}

export function isBadRow(source: SourceRow): source is BadRow {
  return "problem" in source;
}

export function isRawRow(value: unknown): value is RawRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
