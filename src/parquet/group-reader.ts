import { Decoder } from "./decoder.js";
import type { Chunk, Group, Layout, Leaf } from "./layout.js";
import { isDense, isFetchedWhole, type LeafReader, openLeaf } from "./leaf-reader.js";
import type { Decoded, Library } from "./library.js";
import { plainValue, roundDecimals } from "./plain-value.js";
import { encrypted } from "./problems.js";
import type { Selection } from "./selection.js";
import { prefetch, type ReadSpan, type Span } from "./spans.js";

/** Everything a file is read with. */
export interface OpenFile {
  readonly name: string;
  readonly library: Library;
  readonly layout: Layout;
  readonly read: ReadSpan;
}

/** Rows of a group, counted from its first, with some of the columns or parts of them. */
export interface GroupRows {
  readonly group: Group;
  readonly wanted: Uint32Array;
  readonly selection: Selection;
}

interface OpenLeaf {
  readonly leaf: Leaf;
  readonly reader: LeafReader;
}

/** Rows decoded at a time stay within about this many bytes. */
const WINDOW_BYTES = 16 * 1024 * 1024;
const MOST_ROWS = 4096;
const FEWEST_ROWS = 16;

/** The rows of a group as objects, a window at a time. */
export async function* readGroup(file: OpenFile, rows: GroupRows): AsyncGenerator<Record<string, unknown>[]> {
  const { wanted } = rows;
  const leaves = await openLeaves(file, rows);
  const step = windowOf(rows);
  for (let from = 0; from < wanted.length; from += step) {
    const to = Math.min(wanted.length, from + step);
    const values = await takeWindow(leaves, from, to);
    yield toRows(assembleColumns(file.library, rows.selection, values), to - from);
  }
}

async function openLeaves(file: OpenFile, { group, wanted, selection }: GroupRows): Promise<OpenLeaf[]> {
  const chunks = chosenChunks(file.name, group, selection);
  const part = { wanted, rows: group.rows };
  const read = await prefetch(file.read, spansAhead(chunks, part));
  const open = async ({ leaf, chunk }: LeafChunk) => {
    const decoder = new Decoder(file.library, leaf, chunk, file.name);
    return { leaf, reader: await openLeaf({ decoder, chunk, read, ...part }) };
  };
  return Promise.all(chunks.map(open));
}

/** Small chunks and page indexes lie close together: they are fetched in as few reads as possible. */
function spansAhead(chunks: readonly LeafChunk[], part: { wanted: Uint32Array; rows: number }): Span[] {
  return chunks.flatMap(({ chunk }) => {
    if (isFetchedWhole(chunk, part)) return [chunk];
    return chunk.offsetIndex === null || isDense(part) ? [] : [chunk.offsetIndex];
  });
}

interface LeafChunk {
  readonly leaf: Leaf;
  readonly chunk: Chunk;
}

/** The chunks of the leaves in a group; throws for those that cannot be read. */
export function chosenChunks(name: string, group: Group, { leaves }: Selection): LeafChunk[] {
  return leaves.map((leaf) => {
    const chunk = group.chunks[leaf.index];
    if (chunk === undefined || chunk === null) throw encrypted(name, `its column "${leaf.path.join(".")}" is`);
    return { leaf, chunk };
  });
}

function windowOf({ group, selection }: GroupRows): number {
  let bytes = 0;
  for (const { index } of selection.leaves) bytes += Number(group.chunks[index]?.meta.total_uncompressed_size ?? 0);
  const rows = Math.floor((WINDOW_BYTES * group.rows) / Math.max(1, bytes));
  return Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, rows));
}

/** The values of leaves by path, for each column apart: "a.b" may be a part of one, and the name of another. */
type ColumnValues = Map<string, Map<string, Decoded>>;

async function takeWindow(leaves: readonly OpenLeaf[], from: number, to: number): Promise<ColumnValues> {
  const columns: ColumnValues = new Map(leaves.map(({ leaf }) => [columnOf(leaf), new Map()]));
  const takeInto = async ({ leaf, reader }: OpenLeaf) => {
    columns.get(columnOf(leaf))?.set(leaf.path.join("."), rounded(leaf, await reader.take(from, to)));
  };
  await Promise.all(leaves.map(takeInto));
  return columns;
}

function columnOf({ path }: Leaf): string {
  return path[0] ?? "";
}

function rounded({ nodes }: Leaf, values: unknown[]): unknown[] {
  const element = nodes.at(-1)?.element;
  if (element?.converted_type !== "DECIMAL") return values;
  return values.map((value) => roundDecimals(value, element.scale ?? 0));
}

/** Lists and structs are put together from their leaves. */
function assembleColumns(library: Library, { columns }: Selection, taken: ColumnValues) {
  return columns.map((node) => {
    const { name } = node.element;
    const values = taken.get(name) ?? new Map<string, Decoded>();
    if (node.children.length > 0) library.assembleNested(values, node, library.parsers);
    return { name, values: values.get(name) ?? [] };
  });
}

function toRows(columns: readonly { name: string; values: Decoded }[], count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, plainValue(values[at])])),
  );
}
