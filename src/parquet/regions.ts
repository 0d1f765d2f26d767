import { chosenChunks, type OpenFile } from "./group-reader.js";
import type { Chunk, Group, Leaf } from "./layout.js";
import { SMALL_CHUNK } from "./leaf-reader.js";
import { viewOf } from "./library.js";
import { type FoundPage, findPage, isDataPage, rowsInPage } from "./page-header.js";
import { canStart } from "./page-start.js";
import { undecodable } from "./problems.js";
import type { Selection } from "./selection.js";
import { joinedSize, type Span } from "./spans.js";

/** A row group as the sampler sees it: its rows, and what reading some of them costs. */
export interface Region {
  readonly first: number;
  readonly rows: number;
  /** Bytes to read for all of its rows. */
  readonly bytes: number;
  /** The parts that those bytes are. Empty when the region is always read whole. */
  readonly parts: readonly RegionPart[];
}

/** The values of one leaf in a region. */
interface RegionPart {
  readonly bytes: number;
  /** Bytes that are needed for any row, such as a dictionary. */
  readonly fixed: number;
  /** Rows that come with each other; null when a row is only found by reading all rows before it. */
  readonly pageRows: number | null;
  /** True when the first rows take about their share of the bytes; false when they take all of them. */
  readonly isDivisible: boolean;
}

/** A walk over more page headers than this, or over smaller pages, costs more than it saves. */
const MOST_PAGES = 1000;
const SMALLEST_PAGE = 16 * 1024;
const UNKNOWN: PageShape = { pageRows: null, isDivisible: true };

/**
 * The regions of a file, for what is read of it. The size of pages is looked up in its largest row group alone: pages are much alike, and
 * every machine comes to the same numbers.
 */
export async function regionsOf(file: OpenFile, selection: Selection): Promise<Region[]> {
  const largest = largestGroup(file.layout.groups);
  if (largest === undefined) return [];
  const shapes = await Promise.all(
    chosenChunks(file.name, largest, selection).map((part) => pageShape(file, { ...part, group: largest })),
  ).catch((error: unknown) => {
    throw undecodable(file.name, largest.index, error);
  });
  return file.layout.groups.map((group) => {
    const chunks = chosenChunks(file.name, group, selection).map(({ chunk }) => chunk);
    const parts = chunks.every(isSmall) ? [] : chunks.map((chunk, at) => partOf(chunk, group, shapes[at] ?? UNKNOWN));
    return { first: group.first, rows: group.rows, bytes: joinedSize(chunks), parts };
  });
}

function largestGroup(groups: readonly Group[]): Group | undefined {
  return groups.reduce<Group | undefined>((best, group) => (group.rows > (best?.rows ?? 0) ? group : best), undefined);
}

function isSmall(chunk: Chunk): boolean {
  return chunk.end - chunk.start <= SMALL_CHUNK;
}

/** How the values of a leaf are laid out in pages. */
type PageShape = Pick<RegionPart, "pageRows" | "isDivisible">;

interface LeafInGroup {
  readonly leaf: Leaf;
  readonly chunk: Chunk;
  readonly group: Group;
}

async function pageShape(file: OpenFile, { leaf, chunk, group }: LeafInGroup): Promise<PageShape> {
  if (isSmall(chunk)) return { pageRows: group.rows, isDivisible: false };
  const first = await firstPage(file, chunk);
  if (first === null) return UNKNOWN;
  const pageRows = await rowsPerPage(file, first, { leaf, chunk, group });
  const isDivisible = first.end < chunk.end || canStart(file.library, chunk.meta.codec, first.header);
  return { pageRows, isDivisible };
}

/** The first page stands for all of them where there is no index. */
async function rowsPerPage(file: OpenFile, first: FoundPage, { leaf, chunk, group }: LeafInGroup) {
  if (chunk.offsetIndex !== null) return rowsByIndex(file, chunk.offsetIndex, group);
  const rows = rowsInPage(first, leaf.maxRepetition > 0);
  if (rows === null) return null;
  const pages = group.rows / Math.max(1, rows);
  return pages <= MOST_PAGES && (chunk.end - chunk.start) / pages >= SMALLEST_PAGE ? rows : null;
}

async function rowsByIndex({ library, read }: OpenFile, index: Span, group: Group): Promise<number> {
  const { page_locations } = library.readOffsetIndex({ view: viewOf(await read(index)), offset: 0 });
  return Math.ceil(group.rows / Math.max(1, page_locations.length));
}

async function firstPage({ library, read }: OpenFile, chunk: Chunk): Promise<FoundPage | null> {
  for (let start = chunk.start; start < chunk.end; ) {
    const page = await findPage(library, read, { start, limit: chunk.end });
    if (isDataPage(page)) return page;
    start = page.end;
  }
  return null;
}

function partOf(chunk: Chunk, group: Group, { pageRows, isDivisible }: PageShape): RegionPart {
  const bytes = chunk.end - chunk.start;
  if (isSmall(chunk)) return { bytes, fixed: 0, pageRows: group.rows, isDivisible: false };
  const rows = pageRows === null ? null : Math.min(group.rows, Math.max(1, pageRows));
  return { bytes, fixed: Math.min(bytes, chunk.dictionaryBytes), pageRows: rows, isDivisible };
}
