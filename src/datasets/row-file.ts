import { type ByteSource, createMemoryBytes, openLocalBytes } from "../utils/index.js";
import { type FileFormat, getFormat } from "./formats.js";
import type { ParquetTable } from "./parquet/table.js";
import { createUnreadableError, isGzip, readFirstBytes, readPlainBytes } from "./read-bytes.js";
import type { RawRow, RowReadOptions, SourceRow } from "./source-row.js";

/** An open file of rows. */
export interface RowFile {
  /** Name for messages. */
  readonly name: string;
  readonly textOnly: boolean;
  /** Formats the place of a row, e.g. `data.jsonl:17`. */
  readonly at: (line: number) => string;
  /** All rows, in order and in batches. */
  batches(options?: RowReadOptions): AsyncIterable<readonly SourceRow[]>;
  /** Set for files that can be read in part. */
  readonly table?: ParquetTable;
}

/** A file to open: a local path, or bytes that are loaded on read. */
export type RowFileSource = { readonly name?: string; readonly path: string } | { readonly bytes: ByteSource };

/**
 * Opens a file of rows; the extension decides the format.
 * @example
 * const file = await openRowFile({ path: "data.parquet" });
 * for await (const rows of file.batches()) console.log(rows.length);
 */
export async function openRowFile(file: RowFileSource): Promise<RowFile> {
  const name = "bytes" in file ? file.bytes.name : (file.name ?? file.path);
  const format = getFormat(name);
  const { read } = format;
  if ("bytes" in file) return openTableFile(name, file.bytes);
  const { path } = file;
  if (read === null) return openOwnedTable(name, await openRowBytes(path, name));
  return { ...describeRowFile(name, format), batches: (options) => read(path, { ...options, name }) };
}

/** For bytes opened here: callers close their own bytes if opening fails. */
async function openOwnedTable(name: string, bytes: ByteSource): Promise<RowFile> {
  try {
    return await openTableFile(name, bytes);
  } catch (error) {
    await bytes.close?.();
    throw error;
  }
}

async function openTableFile(name: string, bytes: ByteSource): Promise<RowFile> {
  const { openParquet } = await import("./parquet/index.js");
  const table = await openParquet(bytes);
  return { ...describeRowFile(name, getFormat(name)), table, batches: () => readTableRows(table, "all") };
}

/** Rows of a table in the form of the other readers; `line` counts from 1. */
export async function* readTableRows(
  table: ParquetTable,
  positions: Uint32Array | "all",
  columns?: readonly string[],
): AsyncGenerator<readonly SourceRow[]> {
  for await (const batch of table.read(positions, columns))
    yield batch.map(({ position, row }) => ({ line: position + 1, row: row as RawRow }));
}

/** Closes all files, even if one fails to close. */
export async function closeFiles(files: readonly RowFile[]): Promise<void> {
  const closed = await Promise.allSettled(files.map(async ({ table }) => table?.close()));
  for (const result of closed) if (result.status === "rejected") throw result.reason;
}

function describeRowFile(name: string, { place, textOnly }: FileFormat): Pick<RowFile, "name" | "textOnly" | "at"> {
  return { name, textOnly, at: (line) => (place === "line" ? `${name}:${line}` : `${name} row ${line}`) };
}

async function openRowBytes(path: string, name: string): Promise<ByteSource> {
  try {
    if (isGzip(readFirstBytes(path))) return createMemoryBytes(name, await readPlainBytes(path, { name }));
    return await openLocalBytes(path, name);
  } catch (error) {
    throw createUnreadableError(name, error);
  }
}
