import { LARGE_PAGE, SLACK, SLACK_BYTES } from "./page-start.js";
import type { Region } from "./regions.js";

/** Rows that lie together and are cheap to read together. */
export interface Block {
  readonly first: number;
  readonly rows: number;
  /** About how many bytes reading it takes. */
  readonly cost: number;
  /** True when it is the beginning of a region whose other rows are in no block. */
  readonly isStart: boolean;
  /** True when blocks like it cover all rows. */
  readonly isWhole: boolean;
}

/** What blocks are cut for. */
export interface BlockOptions {
  readonly budget: number;
  /** Rows that are needed at least. */
  readonly count: number;
}

/** A sample from fewer blocks than this would say little about the table. */
const FEW_BLOCKS = 8;
const MOST_STARTS = 16;
const START_BYTES = 160 * 1024;
const FEWEST_ROWS = 64;

/** Cuts a table into blocks: whole regions where those are small, else ranges of pages, else their first rows. */
export function blocksOf(regions: readonly Region[], { budget, count }: BlockOptions): Block[] {
  const filled = regions.filter(({ rows }) => rows > 0);
  const blocks = filled.flatMap((region) => cut(region, budget, budget / startsFor(filled, budget)));
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  return rows >= count ? blocks : filled.map(wholeBlock);
}

function cut(region: Region, budget: number, startBudget: number): Block[] {
  if (region.parts.length === 0 || region.bytes <= budget / FEW_BLOCKS) return [wholeBlock(region)];
  const rows = stride(region);
  if (rows !== null && rangeCost(region, rows) <= budget / 3) return ranges(region, rows);
  return [startBlock(region, startBudget)];
}

/** How many starts the budget is for: each part of a start costs something before its first row. */
function startsFor(regions: readonly Region[], budget: number): number {
  const most = Math.max(1, ...regions.map(({ parts }) => parts.filter(({ isDivisible }) => isDivisible).length));
  return Math.max(1, Math.min(MOST_STARTS, regions.length, Math.floor(budget / (most * START_BYTES))));
}

function wholeBlock({ first, rows, bytes }: Region): Block {
  return { first, rows, cost: bytes, isStart: false, isWhole: true };
}

/** Half of the rows that a page of the largest part holds: a range then mostly lies in one such page, or in two. */
function stride({ parts }: Region): number | null {
  const largest = parts.reduce((best, part) => (part.bytes > best.bytes ? part : best));
  return largest.pageRows === null ? null : Math.max(1, Math.ceil(largest.pageRows / 2));
}

/** A range of rows touches its share of each part and, at its borders, about one page more. */
function rangeCost({ parts, rows: all }: Region, rows: number): number {
  return parts.reduce((sum, { bytes, fixed, pageRows }) => {
    const share = pageRows === null ? 1 : Math.min(1, (rows + pageRows) / all);
    return sum + fixed + (bytes - fixed) * share;
  }, 0);
}

function ranges(region: Region, size: number): Block[] {
  const cost = rangeCost(region, size);
  const blocks: Block[] = [];
  for (let at = 0; at < region.rows; at += size) {
    const rows = Math.min(size, region.rows - at);
    blocks.push({ first: region.first + at, rows, cost, isStart: false, isWhole: true });
  }
  return blocks;
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
