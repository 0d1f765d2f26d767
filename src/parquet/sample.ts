import { createRandom, permutation, shuffle } from "../stats/index.js";
import { type Block, blocksOf } from "./blocks.js";
import type { Region } from "./regions.js";
import type { SampleOptions, TableSample } from "./table.js";

/** A table as far as drawing a sample needs it. */
export interface SampledTable {
  readonly rows: number;
  /** The size of its files. */
  readonly bytes: number;
  readonly regions: readonly Region[];
}

const MIB = 2 ** 20;
/** A sample of all rows may read this much of any table. */
const MOST_BYTES = 64 * MIB;
/** Of a large table it may read this share, or this much if that is more. */
const LARGE_TABLE = 100_000;
const MOST_SHARE = 0.04;
const FREE_BYTES = MIB;
/** Blocks are taken up to this share of the bytes: page headers and the footer come on top. */
const BLOCK_SHARE = 0.03;

/**
 * Draws a seeded random sample from all rows where reading it is affordable, else from as many blocks as are.
 * It depends on the files and the seed alone; within either way a larger sample holds every smaller one.
 */
export function drawSample(table: SampledTable, { count, seed }: SampleOptions): TableSample {
  const positions = permutation(table.rows, createRandom(seed)).slice(0, count).sort();
  if (isAffordable(table, costOf(positions, table.regions))) return { positions, note: null };
  return drawFromBlocks(table, count, seed);
}

function isAffordable({ rows, bytes }: SampledTable, cost: number): boolean {
  if (cost > MOST_BYTES) return false;
  return rows < LARGE_TABLE || cost <= Math.max(FREE_BYTES, bytes * MOST_SHARE);
}

/** About how many bytes reading these rows takes. */
function costOf(positions: Uint32Array, regions: readonly Region[]): number {
  let cost = 0;
  let at = 0;
  for (const region of regions) {
    const from = at;
    while (at < positions.length && (positions[at] ?? 0) < region.first + region.rows) at++;
    if (at > from) cost += regionCost(region, at - from, (positions[at - 1] ?? 0) - region.first + 1);
  }
  return cost;
}

/** For so many rows, the last of which ends the first `reach` rows of the region. */
function regionCost(region: Region, rows: number, reach: number): number {
  if (region.parts.length === 0) return region.bytes;
  return region.parts.reduce((sum, { bytes, fixed, pageRows }) => {
    const read = pageRows === null ? reach : Math.min(region.rows, rows * pageRows);
    return sum + fixed + ((bytes - fixed) * read) / region.rows;
  }, 0);
}

function drawFromBlocks(table: SampledTable, count: number, seed: number): TableSample {
  const budget = Math.min(MOST_BYTES, table.bytes * BLOCK_SHARE);
  const random = createRandom(seed);
  const blocks = blocksOf(table.regions, { budget, count });
  const chosen = chooseBlocks(shuffle(blocks, random), budget, count);
  const total = chosen.reduce((sum, { rows }) => sum + rows, 0);
  const drawn = permutation(total, random).slice(0, count);
  return { positions: positionsIn(chosen, drawn), note: noteOn(chosen, blocks.length) };
}

/** Blocks in their random order: as many as are affordable, and more when they have too few rows. */
function chooseBlocks(blocks: readonly Block[], budget: number, count: number): Block[] {
  const chosen: Block[] = [];
  let cost = 0;
  let rows = 0;
  for (const block of blocks) {
    const isEnough = rows >= count && cost + block.cost > budget;
    if (isEnough) break;
    chosen.push(block);
    cost += block.cost;
    rows += block.rows;
  }
  return chosen;
}

/** From numbers among the rows of all chosen blocks to positions in the table, ascending. */
function positionsIn(blocks: readonly Block[], drawn: Uint32Array): Uint32Array {
  const order = drawn.sort();
  const positions = new Uint32Array(order.length);
  let done = 0;
  let before = 0;
  for (const { first, rows } of blocks) {
    for (; done < order.length && (order[done] ?? 0) < before + rows; done++) {
      positions[done] = first + (order[done] ?? 0) - before;
    }
    before += rows;
  }
  return positions.sort();
}

function noteOn(chosen: readonly Block[], total: number): string | null {
  if (chosen.length === total && chosen.every(({ isWhole }) => isWhole)) return null;
  const part = chosen.every(({ isStart }) => isStart) ? "the first rows of " : "";
  const [some, all] = [chosen.length, total].map((number) => number.toLocaleString("en-US"));
  return `the sample is drawn from ${part}${some} of ${all} blocks of the file: reading rows from all over it would take too much`;
}
