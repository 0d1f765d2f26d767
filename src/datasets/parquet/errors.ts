import { AssayError, DatasetError, findClosestName, getErrorMessage } from "../../core/index.js";

export function createNotParquetError(name: string): DatasetError {
  return new DatasetError(
    `"${name}" is not a Parquet file: it does not end with the Parquet magic number. Check the file, or use the correct extension (.jsonl, .json, .csv).`,
  );
}

export function createTruncatedError(name: string, what: string): DatasetError {
  return new DatasetError(`"${name}" is truncated: ${what}. Download or write the file again.`);
}

export function createEncryptedError(name: string, what: string): DatasetError {
  return new DatasetError(
    `"${name}" cannot be read: ${what} encrypted, and Assay has no key. Write the file without encryption.`,
  );
}

export function createBadFooterError(name: string, cause: unknown): DatasetError {
  return new DatasetError(
    `"${name}" cannot be read: its footer is damaged (${getErrorMessage(cause)}). Download or write the file again.`,
    { cause },
  );
}

export function createUnknownCodecError(options: {
  name: string;
  codec: string;
  column: string;
  known: string;
}): DatasetError {
  return new DatasetError(
    `"${options.name}" cannot be read: its column "${options.column}" is compressed with ${options.codec}, which is not supported. Write the file with one of ${options.known}.`,
  );
}

export function createNoColumnError(name: string, column: string, columns: readonly string[]): DatasetError {
  const guess = findClosestName(column, columns);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return new DatasetError(`"${name}" has no column "${column}".${hint} Its columns: ${columns.join(", ")}.`);
}

/** Adds the row group to a decoding error; errors of Assay are left unchanged. */
export function createDecodeError(name: string, group: number, cause: unknown): AssayError {
  if (cause instanceof AssayError) return cause;
  return new DatasetError(
    `"${name}" cannot be read: row group ${group + 1} cannot be decoded (${getErrorMessage(cause)}). The file is damaged: download or write it again.`,
    { cause },
  );
}
