import { isUtf8 } from "node:buffer";
import {
  type AsyncBuffer,
  type ColumnChunk,
  cachedAsyncBuffer,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  readOffsetIndex,
  type SchemaElement,
  type SchemaTree,
  type SubColumnData,
} from "hyparquet";
import { getSchemaPath } from "hyparquet/src/schema.js";
import { compressors } from "hyparquet-compressors";
import { AssayError, DatasetError, getErrorMessage } from "../../core/index.js";
import type { ByteSource } from "../../utils/index.js";
import { findColumn, getNestedValue, listSimilarPaths, selectColumns } from "./columns.js";
import {
  createBadFooterError,
  createDecodeError,
  createEncryptedError,
  createNotParquetError,
  createTruncatedError,
  createUnknownCodecError,
} from "./errors.js";
import { drawSample } from "./sample.js";
import type { ParquetTable, Region, SampleOptions, TableRow, TableRowLocation, TableSample } from "./table.js";

/** Size of the first read, which contains the footer of most files. */
const FOOTER_BYTES = 64 * 1024;
const MAGIC = "PAR1";
const ENCRYPTED_MAGIC = "PARE";
/** Length of the footer plus the magic number. */
const FILE_END_BYTES = 8;
/** Rows of a group that is read by pages are decoded in ranges of about this size. */
const RANGE_BYTES = 4 * 1024 * 1024;
/** Ranges fetched at once. */
const MAX_READS = 8;

/**
 * Opens a Parquet file. Reads only its footer at first, and later only what is requested: single pages if the file has an
 * offset index, else whole row groups.
 * @example
 * const table = await openParquet(await openBytes("data.parquet"));
 * const { positions } = await table.sample({ count: 100, seed: 0, columns: ["question", "answer.aliases"] });
 * for await (const rows of table.read(positions, ["question", "answer.aliases"])) console.log(rows.length);
 */
export async function openParquet(bytes: ByteSource): Promise<ParquetTable> {
  const file = toAsyncBuffer(bytes);
  return new ParquetFile(bytes, file, await readFooter(file, bytes));
}

class ParquetFile implements ParquetTable {
  readonly #source: ByteSource;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;
  readonly #root: SchemaTree;
  readonly name: string;
  readonly bytes: number;
  readonly rows: number;
  readonly columns: readonly string[];

  constructor(source: ByteSource, file: AsyncBuffer, metadata: FileMetaData) {
    this.#source = source;
    this.#file = file;
    this.#metadata = metadata;
    this.#root = parquetSchema(metadata);
    this.name = source.name;
    this.bytes = source.size;
    this.rows = metadata.row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
    this.columns = this.#root.children.map(({ element }) => element.name);
  }

  has(path: string): boolean {
    return findColumn(this.#root, path) !== null;
  }

  listSimilarPaths(path: string): readonly string[] {
    return listSimilarPaths(this.#root, path);
  }

  async *read(positions: Uint32Array | "all", columns?: readonly string[]): AsyncGenerator<readonly TableRow[]> {
    const metadata = selectColumns(this.#metadata, this.name, columns);
    let at = 0;
    for (const group of listRowGroups(metadata, this.name)) {
      const from = at;
      while (positions !== "all" && at < positions.length && (positions[at] ?? 0) < group.first + group.rows) at++;
      const wanted =
        positions === "all"
          ? Uint32Array.from({ length: group.rows }, (_, row) => row)
          : positions.slice(from, at).map((position) => position - group.first);
      if (wanted.length > 0) yield* this.#readGroup(metadata, group, wanted);
    }
  }

  async readColumn(path: string): Promise<readonly unknown[]> {
    const names = findColumn(this.#root, path)?.names ?? [];
    const values: unknown[] = [];
    for await (const rows of this.read("all", [path]))
      for (const { row } of rows) values.push(getNestedValue(row, names));
    return values;
  }

  async sample(options: SampleOptions): Promise<TableSample> {
    const { rows, bytes } = this;
    return drawSample({ rows, bytes, regions: await this.listRegions(options.columns) }, options);
  }

  locateRow(position: number): TableRowLocation {
    return { name: this.name, file: 0, row: position + 1 };
  }

  async listRegions(columns?: readonly string[]): Promise<readonly Region[]> {
    return describeRegions(this.#file, listRowGroups(selectColumns(this.#metadata, this.name, columns), this.name));
  }

  async close(): Promise<void> {
    await this.#source.close?.();
  }

  /** Reads rows of a group, by position in the group. */
  async *#readGroup(metadata: FileMetaData, group: ParquetRowGroup, wanted: Uint32Array): AsyncGenerator<TableRow[]> {
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
    try {
      const ranges = splitIntoRanges(group, wanted, await countRowsPerRead(this.#file, group));
      for (let at = 0; at < ranges.length; at += MAX_READS) {
        // Ranges share indexes and dictionaries.
        const file = cachedAsyncBuffer(this.#file, { minSize: 0 });
        const read = async (range: Uint32Array) => {
          const start = range[0] ?? 0;
          const rows = await parquetReadObjects({
            file,
            metadata: { ...metadata, row_groups: [group.rowGroup] },
            columns,
            rowStart: start,
            rowEnd: (range.at(-1) ?? 0) + 1,
            compressors,
            parsers,
            useOffsetIndex: true,
            // Bytes that are not declared as text are checked value by value.
            utf8: false,
            onPage: (page) => roundDecimalPage(metadata.schema, page),
          });
          return Array.from(range, (row) => ({
            position: group.first + row,
            row: toPlainCell(rows[row - start]) as TableRow["row"],
          }));
        };
        yield* await Promise.all(ranges.slice(at, at + MAX_READS).map(read));
      }
    } catch (error) {
      throw createDecodeError(this.name, group.index, error);
    }
  }
}

/** Splits rows where the pages between them can be skipped, and where a range gets too large to decode at once. */
function splitIntoRanges(group: ParquetRowGroup, wanted: Uint32Array, rowsPerRead: number | null): Uint32Array[] {
  if (rowsPerRead === null) return [wanted];
  const maxRows = Math.max(rowsPerRead, (RANGE_BYTES * group.rows) / Number(group.rowGroup.total_byte_size));
  const ranges: Uint32Array[] = [];
  let start = 0;
  for (let at = 1; at <= wanted.length; at++) {
    const [row, last, first] = [wanted[at] ?? Number.POSITIVE_INFINITY, wanted[at - 1] ?? 0, wanted[start] ?? 0];
    if (row - last <= rowsPerRead && row - first < maxRows) continue;
    ranges.push(wanted.subarray(start, at));
    start = at;
  }
  return ranges;
}

function roundDecimalPage(schema: SchemaElement[], { pathInSchema, columnData }: SubColumnData): void {
  const element = getSchemaPath(schema, pathInSchema).at(-1)?.element;
  if (element?.converted_type === "DECIMAL") roundDecimals(columnData, element.scale ?? 0);
}

/** Fails with a clear error if the source ends early, instead of confusing the decoder. */
function toAsyncBuffer(bytes: ByteSource): AsyncBuffer {
  return {
    byteLength: bytes.size,
    async slice(start, end = bytes.size) {
      const read = await bytes.read(start, end).catch((error: unknown) => {
        if (error instanceof AssayError) throw error;
        throw new DatasetError(`"${bytes.name}" cannot be read: ${getErrorMessage(error)}. Check the file.`, {
          cause: error,
        });
      });
      if (read.byteLength < end - start)
        throw createTruncatedError(bytes.name, `it ends before byte ${end}, where its footer expects data`);
      return toArrayBuffer(read.subarray(0, end - start));
    },
  };
}

function toArrayBuffer({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
  return (isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer;
}

async function readFooter(file: AsyncBuffer, source: ByteSource): Promise<FileMetaData> {
  const options = { parsers, geoparquet: false, initialFetchSize: FOOTER_BYTES };
  const metadata = await parquetMetadataAsync(file, options).catch(async (error: unknown) => {
    throw error instanceof AssayError ? error : await explainFooter(source, error);
  });
  let end = 0;
  for (const { columns } of metadata.row_groups)
    for (const { meta_data: meta } of columns)
      if (meta)
        end = Math.max(
          end,
          Number((meta.dictionary_page_offset || meta.data_page_offset) + meta.total_compressed_size),
        );
  if (end <= source.size) return metadata;
  throw createTruncatedError(
    source.name,
    `its footer expects data up to byte ${end}, but it has only ${source.size} bytes`,
  );
}

/** Explains why a footer cannot be read. */
async function explainFooter(source: ByteSource, cause: unknown): Promise<DatasetError> {
  const { name, size } = source;
  const end = Buffer.from(await source.read(Math.max(0, size - FILE_END_BYTES), size));
  const magic = end.subarray(-MAGIC.length).toString("latin1");
  if (magic === ENCRYPTED_MAGIC) return createEncryptedError(name, "its footer is");
  if (magic === MAGIC && size >= FILE_END_BYTES) {
    const length = end.readUInt32LE(0) + FILE_END_BYTES;
    return length > size
      ? createTruncatedError(name, `its footer has ${length} bytes, the whole file only ${size}`)
      : createBadFooterError(name, cause);
  }
  const start = Buffer.from(await source.read(0, Math.min(size, MAGIC.length))).toString("latin1");
  return start === MAGIC
    ? createTruncatedError(name, "it starts as a Parquet file, but its footer is missing")
    : createNotParquetError(name);
}

const MS_PER_DAY = 86_400_000;

/** How hyparquet decodes types without a JSON equivalent. */
const parsers: Partial<ParquetParsers> = {
  /** A date has no time: midnight would be made up. */
  dateFromDays: (days: number | undefined) =>
    days === undefined ? undefined : new Date(days * MS_PER_DAY).toISOString().slice(0, 10),
  /** A column declared as JSON may hold something else: its text is kept. */
  jsonFromBytes(bytes: Uint8Array | undefined): unknown {
    if (bytes === undefined) return undefined;
    const text = toBuffer(bytes).toString("utf8");
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
};

/**
 * Converts a decoded value to JSON types: integers too large for a double become text, timestamps become ISO text, and
 * bytes become text if they are UTF-8, else base64.
 */
export function toPlainCell(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== "object") return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return toBuffer(value).toString(isUtf8(value) ? "utf8" : "base64");
  if (Array.isArray(value)) return value.map(toPlainCell);
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, toPlainCell(child)]));
}

/** Rounds decimals in place: hyparquet multiplies them by a power of ten, which is inexact in the last digits. */
function roundDecimals(values: SubColumnData["columnData"], scale: number): void {
  for (const [at, value] of values.entries()) {
    if (typeof value === "number") values[at] = Number(value.toFixed(scale));
    else if (Array.isArray(value)) roundDecimals(value, scale);
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Column chunks up to this size are read whole: a request per page would not pay off. */
const SMALL_CHUNK_BYTES = 128 * 1024;

/** The values of one leaf column in a row group. */
interface ColumnChunkInfo {
  readonly bytes: number;
  readonly isIndexed: boolean;
  /** Bytes before the first data page, according to the footer. */
  readonly dictionaryBytes: number;
  /** Location of its page list; null if it is read whole. */
  readonly offsetIndex: { readonly start: number; readonly end: number } | null;
}

export interface ParquetRowGroup {
  readonly index: number;
  readonly first: number;
  readonly rows: number;
  readonly bytes: number;
  readonly rowGroup: RowGroup;
  readonly chunks: readonly ColumnChunkInfo[];
}

/** Lists the row groups of a file; throws for columns that cannot be read. */
export function listRowGroups(metadata: FileMetaData, name: string): ParquetRowGroup[] {
  let first = 0;
  return metadata.row_groups.map((rowGroup, index) => {
    const chunks = rowGroup.columns.map((column) => describeChunk(column, name));
    const rows = Number(rowGroup.num_rows);
    first += rows;
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    return { index, first: first - rows, rows, bytes, rowGroup, chunks };
  });
}

function describeChunk({ meta_data: meta, ...column }: ColumnChunk, name: string): ColumnChunkInfo {
  const path = meta?.path_in_schema.join(".") ?? "";
  if (meta === undefined || column.crypto_metadata !== undefined)
    throw createEncryptedError(name, `its column "${path}" is`);
  const { codec } = meta;
  if (codec !== "UNCOMPRESSED" && !(codec in compressors)) {
    const known = ["none", ...Object.keys(compressors)].join(", ").toLowerCase();
    throw createUnknownCodecError({ name, codec: codec ?? "an unknown method", column: path, known });
  }
  const bytes = Number(meta.total_compressed_size);
  const start = Number(column.offset_index_offset ?? 0);
  const length = column.offset_index_length ?? 0;
  const isIndexed = start > 0 && length > 0;
  return {
    bytes,
    isIndexed,
    dictionaryBytes: meta.dictionary_page_offset ? Number(meta.data_page_offset - meta.dictionary_page_offset) : 0,
    offsetIndex: isIndexed && bytes > SMALL_CHUNK_BYTES ? { start, end: start + length } : null,
  };
}

/** Average rows per page; all rows of the group if its pages are not listed. */
async function countPageRows(
  file: AsyncBuffer,
  group: ParquetRowGroup,
  { offsetIndex }: ColumnChunkInfo,
): Promise<number> {
  if (offsetIndex === null) return group.rows;
  const view = new DataView(await file.slice(offsetIndex.start, offsetIndex.end));
  const { page_locations } = readOffsetIndex({ view, offset: 0 });
  return Math.max(1, Math.ceil(group.rows / Math.max(1, page_locations.length)));
}

/** Rows per page of the largest column; null if the group is read whole. */
async function countRowsPerRead(file: AsyncBuffer, group: ParquetRowGroup): Promise<number | null> {
  if (group.chunks.every(({ offsetIndex }) => offsetIndex === null)) return null;
  return countPageRows(
    file,
    group,
    group.chunks.reduce((best, chunk) => (chunk.bytes > best.bytes ? chunk : best)),
  );
}

/**
 * Estimates the cost of reading rows of each group. Page sizes are read only for the largest group: pages are similar, and
 * the result is the same on every machine.
 */
async function describeRegions(file: AsyncBuffer, groups: readonly ParquetRowGroup[]): Promise<Region[]> {
  const largest = groups.reduce<ParquetRowGroup | undefined>(
    (best, group) => (group.rows > (best?.rows ?? 0) ? group : best),
    undefined,
  );
  if (largest === undefined) return [];
  const pageRows = await Promise.all(largest.chunks.map((chunk) => countPageRows(file, largest, chunk)));
  return groups.map(({ first, rows, bytes, chunks }) => {
    const isWhole = chunks.every(({ offsetIndex }) => offsetIndex === null);
    const parts = chunks.map((chunk, at) => ({
      bytes: chunk.bytes,
      fixed: chunk.offsetIndex === null ? 0 : Math.min(chunk.bytes, chunk.dictionaryBytes),
      pageRows: chunk.offsetIndex === null ? rows : Math.min(rows, pageRows[at] ?? rows),
    }));
    const isIndexed =
      chunks.some((chunk) => chunk.isIndexed) || chunks.every((chunk) => chunk.bytes <= SMALL_CHUNK_BYTES);
    return { first, rows, bytes, isIndexed, parts: isWhole ? [] : parts };
  });
}
