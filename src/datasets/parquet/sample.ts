import { createRandom, hashSeed, permutation } from "../../stats/index.js";
import type { DrawnRows, Region, SampleOptions, TableSample } from "./table.js";

/** What sampling needs to know about a table. */
export interface SampledTable {
  readonly rows: number;
  /** Total size of its files. */
  readonly bytes: number;
  readonly regions: readonly Region[];
}

const MB = 1e6;
/** A sample of all rows may read this much of any table. */
const MAX_SAMPLE_BYTES = 64 * MB;
/** For a table with this many rows, the limit is this share of the bytes, or this amount if that is more. */
const LARGE_TABLE_ROWS = 1_000_000;
const MAX_SAMPLE_SHARE = 0.04;
const FREE_BYTES = MB;
/** Blocks are sampled up to this share of the bytes; the footer and indexes are extra. */
const BLOCK_SHARE = 0.03;

/**
 * Draws a seeded random sample from all rows if reading it is affordable, else from as many blocks as are. The result
 * depends only on the files and the seed; with either method a larger sample contains every smaller one.
 */
export function drawSample(table: SampledTable, { count, seed }: SampleOptions): TableSample {
  const { rows, bytes, regions } = table;
  const isLarge = rows >= LARGE_TABLE_ROWS;
  const order = permutation(rows, createRandom(seed));
  const positions = order.slice(0, count).sort();
  const cost = estimateCost(positions, regions);
  if (cost <= MAX_SAMPLE_BYTES && (!isLarge || cost <= Math.max(FREE_BYTES, bytes * MAX_SAMPLE_SHARE))) {
    const drawn = (from: number, to: number): DrawnRows => ({ positions: order.slice(from, to), blocks: null });
    return { positions, blocks: null, note: null, drawn };
  }
  const budget = isLarge ? Math.min(MAX_SAMPLE_BYTES, bytes * BLOCK_SHARE) : MAX_SAMPLE_BYTES;
  return drawFromBlocks(regions, { count, seed, order, cost, budget, maxBytes: MAX_SAMPLE_BYTES });
}

/** Estimates the bytes needed to read these rows. */
function estimateCost(positions: Uint32Array, regions: readonly Region[]): number {
  let cost = 0;
  let at = 0;
  for (const { first, rows, bytes, parts } of regions) {
    const from = at;
    while (at < positions.length && (positions[at] ?? 0) < first + rows) at++;
    if (at === from) continue;
    if (parts.length === 0) cost += bytes;
    for (const part of parts)
      cost += part.fixed + ((part.bytes - part.fixed) * Math.min(rows, (at - from) * part.pageRows)) / rows;
  }
  return cost;
}

interface BlockSampleOptions {
  readonly count: number;
  readonly seed: number;
  /** All rows of the table in random order. */
  readonly order: Uint32Array;
  /** Cost of a sample of all rows, for the note. */
  readonly cost: number;
  readonly budget: number;
  /** The budget may be exceeded up to here to avoid drawing from a single block. */
  readonly maxBytes: number;
}

/** Adjacent rows that are read together: a row group, or a range of its pages. */
interface RowBlock {
  /** Number in file order, counted from 1. */
  readonly number: number;
  readonly first: number;
  readonly rows: number;
  /** Estimated bytes to read it, in addition to the fixed bytes of its region. */
  readonly cost: number;
}

interface BlockRegion {
  readonly first: number;
  readonly blocks: readonly RowBlock[];
  /** Bytes read once for any of the blocks, such as dictionaries. */
  readonly fixed: number;
}

/** A single block gives no estimate of the variation between blocks. */
const MIN_BLOCKS = 2;
/** Blocks are made small enough to afford this many, if possible. */
const TARGET_BLOCKS = 30;
/** The blocks of a sample have at least this many rows in total, so that samples up to this size use the same blocks. */
const MIN_BLOCK_ROWS = 1000;
/** Rows drawn to select blocks: more than the number of affordable blocks. */
const MAX_TICKETS = 20_000;

/**
 * Draws a sample from as many blocks as are affordable. Rows are drawn from the whole table, in proportion to the size of
 * each region, and each selects its block: a row of that block is used in its place. When the next block is too
 * expensive, it starts again with the first drawn row, and takes further rows of the same blocks.
 */
function drawFromBlocks(allRegions: readonly Region[], options: BlockSampleOptions): TableSample {
  const regions = allRegions.filter(({ rows }) => rows > 0);
  const shelf = new BlockIndex(regions, options);
  const { order, seed, count } = options;
  const tickets = drawTickets(regions, seed);
  const { affordable, isAll } = countAffordable(shelf, tickets, options);
  const drawn = (from: number, to: number): DrawnRows => {
    const { positions, numbers } = drawRows(shelf, { tickets: tickets.slice(0, affordable), rest: order, seed, to });
    // If every block is affordable, sample all rows.
    return { positions: positions.slice(from), blocks: isAll ? null : numbers.slice(from) };
  };
  const { positions, blocks } = drawn(0, count);
  const ranks = Array.from(positions.keys()).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  return {
    positions: positions.toSorted(),
    blocks: blocks === null ? null : Uint32Array.from(ranks, (at) => blocks[at] ?? 0),
    note: blocks === null ? null : describeDraw(regions, shelf.size, new Set(blocks).size, options.cost),
    drawn,
  };
}

/** Finds blocks by row. */
class BlockIndex {
  readonly #regions: readonly BlockRegion[];
  readonly size: number;

  constructor(regions: readonly Region[], options: BlockSampleOptions) {
    let before = 0;
    this.#regions = regions.map((region) => {
      const blockRows = chooseBlockRows(region, regions.length, options);
      const isWhole = blockRows === region.rows;
      const cost = isWhole ? region.bytes : estimateRange(region, blockRows);
      const blocks: RowBlock[] = [];
      for (let at = 0; at < region.rows; at += blockRows) {
        const rows = Math.min(blockRows, region.rows - at);
        blocks.push({ number: ++before, first: region.first + at, rows, cost });
      }
      return { first: region.first, blocks, fixed: isWhole ? 0 : sumFixedBytes(region) };
    });
    this.size = before;
  }

  /** Binary search: a table may have many thousands of row groups. */
  find(row: number): { block: RowBlock; region: BlockRegion } {
    let [low, high] = [0, this.#regions.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#regions[middle]?.first ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    const region = this.#regions[low];
    const size = region?.blocks[0]?.rows ?? 1;
    const block = region?.blocks[Math.floor((row - region.first) / size)];
    if (region === undefined || block === undefined) throw new RangeError(`no block holds row ${row}`);
    return { block, region };
  }
}

/**
 * All rows if the region is small or its pages are not listed. Otherwise half the rows of a page of the largest part, so
 * that a range mostly touches one or two such pages; halved further while too few ranges are affordable and they have
 * enough rows.
 */
function chooseBlockRows(region: Region, regions: number, { budget, count }: BlockSampleOptions): number {
  if (region.parts.length === 0 || region.bytes <= budget / TARGET_BLOCKS) return region.rows;
  const largest = region.parts.reduce((best, part) => (part.bytes > best.bytes ? part : best));
  const fixed = sumFixedBytes(region);
  // In all regions, or in as many as there are ranges.
  const countRanges = (size: number) => {
    const cost = estimateRange(region, size);
    return Math.floor(Math.max((budget - fixed * regions) / cost, budget / (cost + fixed)));
  };
  let rows = Math.max(1, Math.ceil(largest.pageRows / 2));
  const isEnough = (size: number) => countRanges(size) * size >= Math.max(count, MIN_BLOCK_ROWS);
  while (rows > 1 && countRanges(rows) < TARGET_BLOCKS && isEnough(Math.ceil(rows / 2))) rows = Math.ceil(rows / 2);
  return estimateRange(region, rows) * 2 > region.bytes ? region.rows : rows;
}

/** A range of rows touches its share of each part plus about one page at its borders. */
function estimateRange({ parts, rows: all }: Region, rows: number): number {
  return parts.reduce(
    (sum, { bytes, fixed, pageRows }) => sum + (bytes - fixed) * Math.min(1, (rows + pageRows) / all),
    0,
  );
}

function sumFixedBytes({ parts }: Region): number {
  return parts.reduce((sum, { fixed }) => sum + fixed, 0);
}

/** Draws rows in a random order in which every prefix contains each region in proportion. */
function drawTickets(regions: readonly Region[], seed: number): number[] {
  const total = regions.reduce((sum, { rows }) => sum + rows, 0);
  const sizes = regions.map(({ rows }, key) => ({ key, size: rows }));
  const drawn = spreadEvenly(sizes, { count: Math.min(total, MAX_TICKETS), seed });
  return drawn.map(({ list, item }) => (regions[list]?.first ?? 0) + item);
}

/** Counts the drawn rows whose blocks are affordable, and whether those are all blocks. */
function countAffordable(shelf: BlockIndex, tickets: readonly number[], { budget, maxBytes }: BlockSampleOptions) {
  const [opened, regions] = [new Set<RowBlock>(), new Set<BlockRegion>()];
  let cost = 0;
  for (const [at, row] of tickets.entries()) {
    const { block, region } = shelf.find(row);
    if (opened.has(block)) continue;
    cost += block.cost + (regions.has(region) ? 0 : region.fixed);
    if (opened.size > 0 && cost > (opened.size < MIN_BLOCKS ? maxBytes : budget))
      return { affordable: at, isAll: false };
    opened.add(block);
    regions.add(region);
  }
  return { affordable: tickets.length, isAll: opened.size === shelf.size };
}

interface RowsToDraw {
  readonly tickets: readonly number[];
  /** All rows, in case more are needed than the selected blocks have. */
  readonly rest: Uint32Array;
  readonly seed: number;
  readonly to: number;
}

function drawRows(shelf: BlockIndex, { tickets, rest, seed, to }: RowsToDraw) {
  const orders = new Map<RowBlock, Iterator<number, undefined>>();
  const [positions, numbers]: [number[], number[]] = [[], []];
  const take = (row: number): boolean => {
    const { block } = shelf.find(row);
    const order = orders.get(block) ?? permutation(block.rows, createRandom(hashSeed(seed, block.number))).values();
    orders.set(block, order);
    const next = order.next();
    if (next.done === true) return false;
    positions.push(block.first + next.value);
    numbers.push(block.number);
    return true;
  };
  for (let found = true; found && positions.length < to; ) {
    found = false;
    for (let at = 0; at < tickets.length && positions.length < to; at++) found = take(tickets[at] ?? 0) || found;
  }
  for (let at = 0; at < rest.length && positions.length < to; at++) take(rest[at] ?? 0);
  return { positions: Uint32Array.from(positions), numbers: Uint32Array.from(numbers) };
}

function describeDraw(regions: readonly Region[], all: number, used: number, cost: number): string {
  const [some, total, size] = [used, all, Math.round(cost / 1e6)].map((n) => n.toLocaleString("en-US"));
  const why = regions.every(({ isIndexed }) => isIndexed) ? "" : "it has no offset index, and ";
  return `the sample is drawn from ${some} of ${total} blocks of the file, because ${why}reading rows from the whole file would take ${size} MB; intervals are clustered by block`;
}

/** A number of items, and the key that seeds their random order. */
export interface SpreadList {
  readonly key: number;
  readonly size: number;
}

/** An item by list and position, both counted from 0. */
interface SpreadItem {
  readonly list: number;
  readonly item: number;
}

/**
 * The first `count` items of all lists in a seeded random order in which every prefix contains each list in proportion,
 * plus or minus one. A list's items are shuffled and spaced evenly over [0, 1) from a random start; those with the lowest
 * positions are taken.
 * @example
 * spreadEvenly([{ key: 0, size: 300 }, { key: 1, size: 100 }], { count: 8, seed: 1 }); // about six of the first, two of the second
 */
export function spreadEvenly(
  lists: readonly SpreadList[],
  { count, seed }: { count: number; seed: number },
): readonly SpreadItem[] {
  const total = lists.reduce((sum, { size }) => sum + size, 0);
  // Before this position each list has at least its share minus one, so that there are enough items.
  const limit = (count + lists.length) / total;
  const places: (SpreadItem & { place: number })[] = [];
  for (const [list, { key, size }] of lists.entries()) {
    const random = createRandom(hashSeed(seed, key));
    const start = random.next();
    for (const [rank, item] of permutation(size, random).entries()) {
      const place = (rank + start) / size;
      if (place >= limit) break;
      places.push({ list, item, place });
    }
  }
  return places.sort((a, b) => a.place - b.place || a.list - b.list).slice(0, count);
}
