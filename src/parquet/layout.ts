import type { ColumnChunk, ColumnMetaData, FileMetaData, RowGroup, SchemaTree } from "hyparquet";
import type { Library } from "./library.js";
import { truncated } from "./problems.js";
import type { Span } from "./spans.js";

/** A column that holds values itself; a struct or a list has its values in leaves. */
export interface Leaf {
  readonly index: number;
  readonly path: readonly string[];
  /** The nodes of the schema from the root to the leaf. */
  readonly nodes: readonly SchemaTree[];
  readonly maxRepetition: number;
  readonly maxDefinition: number;
}

/** The values of one leaf in one row group. */
export interface Chunk extends Span {
  readonly meta: ColumnMetaData;
  readonly offsetIndex: Span | null;
  /** Bytes before the first data page, as far as the footer tells. */
  readonly dictionaryBytes: number;
}

/** Rows that were written together. */
export interface Group {
  readonly index: number;
  readonly first: number;
  readonly rows: number;
  /** By leaf; null where the column is encrypted. */
  readonly chunks: readonly (Chunk | null)[];
}

/** Where everything in a file is. */
export interface Layout {
  readonly rows: number;
  readonly root: SchemaTree;
  readonly columns: readonly string[];
  readonly leaves: readonly Leaf[];
  readonly groups: readonly Group[];
}

/** Reads the layout out of the footer and checks that the file is as long as it has to be. */
export function layoutOf(library: Library, metadata: FileMetaData, file: { name: string; size: number }): Layout {
  const root = library.parquetSchema(metadata);
  const groups: Group[] = [];
  let rows = 0;
  for (const group of metadata.row_groups) {
    groups.push(groupOf(group, groups.length, rows));
    rows += Number(group.num_rows);
  }
  requireData(groups, file);
  const columns = root.children.map(({ element }) => element.name);
  return { rows, root, columns, leaves: leavesOf(root), groups };
}

function leavesOf(root: SchemaTree): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (nodes: readonly SchemaTree[], node: SchemaTree) => {
    const path = [...nodes, node];
    if (node.children.length === 0) leaves.push(leafOf(leaves.length, path));
    for (const child of node.children) visit(path, child);
  };
  for (const child of root.children) visit([root], child);
  return leaves;
}

function leafOf(index: number, nodes: readonly SchemaTree[]): Leaf {
  const below = nodes.slice(1).map(({ element }) => element);
  return {
    index,
    path: below.map(({ name }) => name),
    nodes,
    maxRepetition: below.filter(({ repetition_type }) => repetition_type === "REPEATED").length,
    maxDefinition: below.filter(({ repetition_type }) => repetition_type !== "REQUIRED").length,
  };
}

function groupOf(group: RowGroup, index: number, first: number): Group {
  return { index, first, rows: Number(group.num_rows), chunks: group.columns.map(chunkOf) };
}

function chunkOf(column: ColumnChunk): Chunk | null {
  const { meta_data: meta, offset_index_offset, offset_index_length } = column;
  if (meta === undefined || column.crypto_metadata !== undefined) return null;
  const data = Number(meta.data_page_offset);
  // Some writers leave the dictionary's offset out, or write a zero.
  const dictionary = Number(meta.dictionary_page_offset ?? 0) || data;
  const start = Math.min(data, dictionary);
  const index = Number(offset_index_offset ?? 0);
  return {
    meta,
    start,
    end: start + Number(meta.total_compressed_size),
    offsetIndex: index > 0 && offset_index_length ? { start: index, end: index + offset_index_length } : null,
    dictionaryBytes: data - start,
  };
}

function requireData(groups: readonly Group[], { name, size }: { name: string; size: number }): void {
  let end = 0;
  for (const { chunks } of groups) for (const chunk of chunks) end = Math.max(end, chunk?.end ?? 0);
  if (end > size) throw truncated(name, `its footer speaks of data up to byte ${end}, but it has only ${size} bytes`);
}
