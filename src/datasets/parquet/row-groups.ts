import { type AsyncBuffer, type ColumnChunk, type FileMetaData, type RowGroup, readOffsetIndex } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { encrypted, unknownCodec } from "./problems.js";
import type { Region } from "./table.js";

/** Column chunks up to this size are read whole: their pages are not worth a request each. */
const SMALL_CHUNK_BYTES = 128 * 1024;

/** The values of one leaf in a row group. */
interface Chunk {
  readonly bytes: number;
  readonly isIndexed: boolean;
  /** Bytes before the first data page, as far as the footer tells. */
  readonly dictionaryBytes: number;
  /** Where its pages are listed; null where it is read whole. */
  readonly offsetIndex: { readonly start: number; readonly end: number } | null;
}

/** Rows that were written together. */
export interface Group {
  readonly index: number;
  readonly first: number;
  readonly rows: number;
  readonly bytes: number;
  readonly rowGroup: RowGroup;
  readonly chunks: readonly Chunk[];
}

/** Lists the row groups of a file; throws for columns that cannot be read. */
export function listGroups(metadata: FileMetaData, name: string): Group[] {
  let first = 0;
  return metadata.row_groups.map((rowGroup, index) => {
    const chunks = rowGroup.columns.map((column) => describeChunk(column, name));
    const rows = Number(rowGroup.num_rows);
    first += rows;
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    return { index, first: first - rows, rows, bytes, rowGroup, chunks };
  });
}

function describeChunk({ meta_data: meta, ...column }: ColumnChunk, name: string): Chunk {
  const path = meta?.path_in_schema.join(".") ?? "";
  if (meta === undefined || column.crypto_metadata !== undefined) throw encrypted(name, `its column "${path}" is`);
  const { codec } = meta;
  if (codec !== "UNCOMPRESSED" && !(codec in compressors)) {
    const known = ["none", ...Object.keys(compressors)].join(", ").toLowerCase();
    throw unknownCodec({ name, codec: codec ?? "an unknown method", column: path, known });
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

/** Counts the rows of a page, on average; all rows of the group where its pages are not listed. */
async function countPageRows(file: AsyncBuffer, group: Group, { offsetIndex }: Chunk): Promise<number> {
  if (offsetIndex === null) return group.rows;
  const view = new DataView(await file.slice(offsetIndex.start, offsetIndex.end));
  const { page_locations } = readOffsetIndex({ view, offset: 0 });
  return Math.max(1, Math.ceil(group.rows / Math.max(1, page_locations.length)));
}

/** Counts the rows of a page of the largest column; null where the group is read whole. */
export async function countRowsPerRead(file: AsyncBuffer, group: Group): Promise<number | null> {
  if (group.chunks.every(({ offsetIndex }) => offsetIndex === null)) return null;
  return countPageRows(
    file,
    group,
    group.chunks.reduce((best, chunk) => (chunk.bytes > best.bytes ? chunk : best)),
  );
}

/**
 * Describes what reading rows of each group costs. The size of pages is looked up in the largest group alone: pages are
 * much alike, and every machine comes to the same numbers.
 */
export async function describeRegions(file: AsyncBuffer, groups: readonly Group[]): Promise<Region[]> {
  const largest = groups.reduce<Group | undefined>(
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
