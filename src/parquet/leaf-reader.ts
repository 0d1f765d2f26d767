import type { Decoder } from "./decoder.js";
import type { Chunk } from "./layout.js";
import { MappedLeaf } from "./mapped-leaf.js";
import { indexedPages, type PageMap, walkedPages } from "./page-map.js";
import { SequentialLeaf } from "./sequential-leaf.js";
import { type ReadSpan, readAhead } from "./spans.js";

/** Gives the values of one leaf at the wanted rows, a stretch of them at a time, in order. */
export interface LeafReader {
  /** The values at `wanted[from]` up to, not including, `wanted[to]`. */
  take(from: number, to: number): Promise<unknown[]>;
}

/** What the values of a leaf in a row group are read from. */
export interface LeafOptions {
  readonly decoder: Decoder;
  readonly chunk: Chunk;
  readonly read: ReadSpan;
  /** The rows of the group that will be asked for, ascending. */
  readonly wanted: Uint32Array;
  /** All rows of the group. */
  readonly rows: number;
}

/** Chunks up to this size are read whole: their pages are not worth a request each. */
export const SMALL_CHUNK = 128 * 1024;
/** From this share of wanted rows on, a chunk is read from its start to its end. */
const DENSE_SHARE = 1 / 8;
const STEP = 1024 * 1024;
const SMALLEST_STEP = 32 * 1024;

/** True when nearly every page is needed, so that looking for pages is no use. */
export function isDense({ wanted, rows }: Pick<LeafOptions, "wanted" | "rows">): boolean {
  return wanted.length >= rows * DENSE_SHARE;
}

/** True when the chunk is to be fetched as one piece, together with its neighbours. */
export function isFetchedWhole(chunk: Chunk, options: Pick<LeafOptions, "wanted" | "rows">): boolean {
  const size = chunk.end - chunk.start;
  return size <= SMALL_CHUNK || (isDense(options) && size <= STEP);
}

/** A reader of the fitting kind. */
export async function openLeaf(options: LeafOptions): Promise<LeafReader> {
  const { chunk, read } = options;
  const isWhole = isFetchedWhole(chunk, options);
  const forward = isWhole ? read : readAhead(read, { limit: chunk.end, step: stepOf(options) });
  if (isDense(options)) {
    const map = await walk(options, forward);
    return map === null ? new SequentialLeaf({ ...options, read: forward }) : new MappedLeaf(options, map, forward);
  }
  const map = await sparseMap(options, isWhole);
  return map === null ? new SequentialLeaf({ ...options, read: forward }) : new MappedLeaf(options, map);
}

function sparseMap(options: LeafOptions, isWhole: boolean): Promise<PageMap | null> {
  const index = isWhole ? null : options.chunk.offsetIndex;
  return index === null ? walk(options, options.read) : indexedPages(mapOptions(options, options.read), index);
}

function walk(options: LeafOptions, read: ReadSpan): Promise<PageMap | null> {
  return walkedPages(mapOptions(options, read));
}

function mapOptions({ decoder, chunk, rows }: LeafOptions, read: ReadSpan) {
  return { library: decoder.library, read, chunk, rows, isRepeated: decoder.leaf.maxRepetition > 0 };
}

/** Reading from the start, no more is fetched at a time than the last wanted row is likely to need. */
function stepOf({ chunk, wanted, rows }: LeafOptions): number {
  const share = ((wanted.at(-1) ?? 0) + 1) / Math.max(1, rows);
  return Math.min(STEP, Math.max(SMALLEST_STEP, Math.ceil((chunk.end - chunk.start) * share)));
}
