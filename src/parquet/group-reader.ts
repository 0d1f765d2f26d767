import { Decoder } from "./decoder.js";
import { type Chunk, type Group, type Layout, type Leaf, leavesOfColumns } from "./layout.js";
import { isDense, isFetchedWhole, type LeafReader, openLeaf } from "./leaf-reader.js";
import type { Decoded, Library } from "./library.js";
import { plainValue, roundDecimals } from "./plain-value.js";
import { encrypted } from "./problems.js";
import { prefetch, type ReadSpan, type Span } from "./spans.js";

/** Everything a file is read with. */
export interface OpenFile {
  readonly name: string;
  readonly library: Library;
  readonly layout: Layout;
  readonly read: ReadSpan;
}

/** Rows of a group, counted from its first, with some of the columns. */
export interface GroupRows {
  readonly group: Group;
  readonly wanted: Uint32Array;
  readonly columns: readonly string[] | undefined;
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
  const step = windowOf(file.layout, rows);
  for (let from = 0; from < wanted.length; from += step) {
    yield await readWindow(file, leaves, [from, Math.min(wanted.length, from + step)]);
  }
}

async function openLeaves(file: OpenFile, { group, wanted, columns }: GroupRows): Promise<OpenLeaf[]> {
  const chunks = chosenChunks(file, group, columns);
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

/** The chunks of the columns in a group; throws for those that cannot be read. */
export function chosenChunks(file: Pick<OpenFile, "name" | "layout">, group: Group, columns?: readonly string[]) {
  return leavesOfColumns(file.layout, columns).map((leaf): LeafChunk => {
    const chunk = group.chunks[leaf.index];
    if (chunk === undefined || chunk === null) throw encrypted(file.name, `its column "${leaf.path.join(".")}" is`);
    return { leaf, chunk };
  });
}

function windowOf(layout: Layout, { group, columns }: GroupRows): number {
  let bytes = 0;
  for (const { index } of leavesOfColumns(layout, columns)) {
    bytes += Number(group.chunks[index]?.meta.total_uncompressed_size ?? 0);
  }
  const rows = Math.floor((WINDOW_BYTES * group.rows) / Math.max(1, bytes));
  return Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, rows));
}

async function readWindow(file: OpenFile, leaves: readonly OpenLeaf[], [from, to]: [number, number]) {
  const values = new Map<string, Decoded>();
  const takeInto = async ({ leaf, reader }: OpenLeaf) => {
    values.set(leaf.path.join("."), rounded(leaf, await reader.take(from, to)));
  };
  await Promise.all(leaves.map(takeInto));
  return toRows(assembleColumns(file, leaves, values), to - from);
}

function rounded({ nodes }: Leaf, values: unknown[]): unknown[] {
  const element = nodes.at(-1)?.element;
  if (element?.converted_type !== "DECIMAL") return values;
  return values.map((value) => roundDecimals(value, element.scale ?? 0));
}

/** Lists and structs are put together from their leaves. */
function assembleColumns(file: OpenFile, leaves: readonly OpenLeaf[], values: Map<string, Decoded>) {
  const { library, layout } = file;
  const names = new Set(leaves.map(({ leaf }) => leaf.path[0]));
  const nodes = layout.root.children.filter(({ element }) => names.has(element.name));
  return nodes.map((node) => {
    if (node.children.length > 0) library.assembleNested(values, node, library.parsers);
    return { name: node.element.name, values: values.get(node.element.name) ?? [] };
  });
}

function toRows(columns: readonly { name: string; values: Decoded }[], count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, plainValue(values[at])])),
  );
}
