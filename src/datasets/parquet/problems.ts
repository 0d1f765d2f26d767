import { AssayError, DatasetError, messageOf } from "../../core/errors.js";
import { nearest } from "../../core/suggest.js";

/** A file that is something else. */
export function notParquet(name: string): DatasetError {
  return new DatasetError(
    `"${name}" is not a Parquet file: it does not end with the mark that every Parquet file has. Check the file, or give it the ending of what it is (.jsonl, .json, .csv).`,
  );
}

/** A file whose end is missing. */
export function truncated(name: string, what: string): DatasetError {
  return new DatasetError(`"${name}" is truncated: ${what}. Fetch or write the file again.`);
}

/** A file, or a column of one, that only its key opens. */
export function encrypted(name: string, what: string): DatasetError {
  return new DatasetError(
    `"${name}" cannot be read: ${what} encrypted, and Assay has no key. Write the file without encryption.`,
  );
}

/** A footer that makes no sense. */
export function badFooter(name: string, cause: unknown): DatasetError {
  return new DatasetError(
    `"${name}" cannot be read: its footer is damaged (${messageOf(cause)}). Fetch or write the file again.`,
    { cause },
  );
}

/** A compression that there is no decoder for. */
export function unknownCodec(options: { name: string; codec: string; column: string; known: string }): DatasetError {
  return new DatasetError(
    `"${options.name}" cannot be read: its column "${options.column}" is compressed with ${options.codec}, which is not supported. Write the file with one of ${options.known}.`,
  );
}

/** A column that was asked for and is not there. */
export function noColumn(name: string, column: string, columns: readonly string[]): DatasetError {
  const guess = nearest(column, columns);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return new DatasetError(`"${name}" has no column "${column}".${hint} Its columns: ${columns.join(", ")}.`);
}

/** Anything that went wrong while values were decoded, named by its place; errors that say enough are left alone. */
export function undecodable(name: string, group: number, cause: unknown): AssayError {
  if (cause instanceof AssayError) return cause;
  return new DatasetError(
    `"${name}" cannot be read: row group ${group + 1} cannot be decoded (${messageOf(cause)}). The file is damaged: fetch or write it again.`,
    { cause },
  );
}
