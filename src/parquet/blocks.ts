import { LARGE_PAGE, SLACK, SLACK_BYTES } from "./page-start.js";
import type { Region } from "./regions.js";

/** Rows that lie together and are cheap to read together. */
export interface Block {
  readonly first: number;
  readonly rows: number;
  /** About how many bytes reading it takes, besides those that its region needs for any row. */
  readonly cost: number;
  /** True when it is the beginning of a region whose other rows are in no block. */
  readonly isStart: boolean;
  /** True when blocks like it cover all rows. */
  readonly isWhole: boolean;
}

/** The blocks of one region. */
export interface BlockList {
  readonly blocks: readonly Block[];
  /** Bytes that are read once for any of them, such as dictionaries. */
  readonly fixed: number;
}

/** What blocks are cut for. */
export interface BlockOptions {
  readonly budget: number;
  /** Rows that are needed at least. */
  readonly count: number;
}

/** Blocks are made so small that this many are affordable, where that is possible. */
const MANY_BLOCKS = 30;
/** Ranges from all over a row group are better than its first rows, unless there are fewer of them than this. */
const FEW_BLOCKS = 8;
const START_BYTES = 96 * 1024;
/** Ranges have this many rows at least, where a page has them: each costs a page however small it is. */
const SHORTEST_RANGE = 8;
const FEWEST_ROWS = 64;

/**
 * Cuts a table into blocks: whole regions where those are small, else ranges of pages, else their first rows. Only when
 * those are fewer than are needed does it matter how many that is: then more is read.
 */
export function blocksOf(regions: readonly Region[], { budget, count }: BlockOptions): BlockList[] {
  const filled = regions.filter(({ rows }) => rows > 0);
  const options = { budget, regions: filled.length, starts: startsFor(filled, budget) };
  const lists = filled.map((region) => cut(region, options));
  const blocks = lists.flatMap((list) => list.blocks);
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  if (rows >= count || blocks.every(({ isWhole }) => isWhole)) return lists;
  return blocksOf(regions, { budget: budget * 2, count });
}

interface CutOptions {
  readonly budget: number;
  /** How many regions there are. */
  readonly regions: number;
  /** How many of them the budget is for if each gives its first rows. */
  readonly starts: number;
}

function cut(region: Region, options: CutOptions): BlockList {
  const { budget, starts } = options;
  if (region.parts.length === 0 || region.bytes <= budget / MANY_BLOCKS) return wholeRegion(region);
  const size = rangeSize(region, options);
  const ranges = size === null ? 0 : affordableRanges(region, size, options);
  if (size !== null && ranges >= Math.min(FEW_BLOCKS, starts)) return rangesOf(region, size);
  const start = startBlock(region, budget / starts);
  const isBetter = size !== null && start.isWhole && ranges * region.bytes > budget;
  return isBetter ? rangesOf(region, size) : { blocks: [start], fixed: 0 };
}

/** Each part of a start costs something before its first row. */
function startsFor(regions: readonly Region[], budget: number): number {
  const most = regions.reduce((max, { parts }) => Math.max(max, parts.filter((part) => part.isDivisible).length), 1);
  return Math.max(1, Math.min(MANY_BLOCKS, regions.length, Math.floor(budget / (most * START_BYTES))));
}

function wholeBlock({ first, rows, bytes }: Region): Block {
  return { first, rows, cost: bytes, isStart: false, isWhole: true };
}

function wholeRegion(region: Region): BlockList {
  return { blocks: [wholeBlock(region)], fixed: 0 };
}

/**
 * Half of the rows that a page of the largest part holds, so that a range mostly lies in one such page, or in two; or
 * half of that, and so on, while too few are affordable.
 */
function rangeSize(region: Region, options: CutOptions): number | null {
  const largest = region.parts.reduce((best, part) => (part.bytes > best.bytes ? part : best));
  if (largest.pageRows === null) return null;
  let size = Math.max(1, Math.ceil(largest.pageRows / 2));
  while (size / 2 >= SHORTEST_RANGE && affordableRanges(region, size, options) < MANY_BLOCKS)
    size = Math.ceil(size / 2);
  return size;
}

/** How many ranges the budget is for: in all regions, or in as many as there are ranges. */
function affordableRanges(region: Region, size: number, { budget, regions }: CutOptions): number {
  const cost = rangeCost(region, size);
  const fixed = fixedBytes(region);
  return Math.floor(Math.max((budget - fixed * regions) / cost, budget / (cost + fixed)));
}

function fixedBytes({ parts }: Region): number {
  return parts.reduce((sum, { fixed }) => sum + fixed, 0);
}

/** A range of rows touches its share of each part and, at its borders, about one page more. */
function rangeCost({ parts, rows: all }: Region, rows: number): number {
  return parts.reduce((sum, { bytes, fixed, pageRows }) => {
    const share = pageRows === null ? 1 : Math.min(1, (rows + pageRows) / all);
    return sum + (bytes - fixed) * share;
  }, 0);
}

function rangesOf(region: Region, size: number): BlockList {
  const cost = rangeCost(region, size);
  const blocks: Block[] = [];
  for (let at = 0; at < region.rows; at += size) {
    const rows = Math.min(size, region.rows - at);
    blocks.push({ first: region.first + at, rows, cost, isStart: false, isWhole: true });
  }
  return { blocks, fixed: fixedBytes(region) };
}

/** The first rows of a region: half of them, or half of that, and so on, until they are affordable. */
function startBlock(region: Region, budget: number): Block {
  let { rows } = region;
  while (rows > FEWEST_ROWS && startCost(region, rows) > budget) rows = Math.ceil(rows / 2);
  const cost = startCost(region, rows);
  // Where most has to be read for the first row already, the other rows may as well be had.
  if (rows === region.rows || cost * 2 > region.bytes) return wholeBlock(region);
  return { first: region.first, rows, cost, isStart: true, isWhole: false };
}

function startCost({ parts, rows: all }: Region, rows: number): number {
  return parts.reduce((sum, { bytes, fixed, pageRows, isDivisible }) => {
    if (!isDivisible) return sum + bytes;
    const page = pageRows === null ? bytes : (bytes * pageRows) / all;
    const isPart = pageRows === null || (rows * 2 < pageRows && page >= LARGE_PAGE);
    const read = isPart ? ((bytes * rows) / all) * SLACK + SLACK_BYTES : page * Math.ceil(rows / pageRows);
    return sum + fixed + Math.min(bytes - fixed, read);
  }, 0);
}
