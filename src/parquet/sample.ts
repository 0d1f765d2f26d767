import { createRandom, permutation } from "../stats/index.js";
import { drawFromBlocks } from "./block-sample.js";
import type { Region } from "./regions.js";
import type { DrawnRows, SampleOptions, TableSample } from "./table.js";

/** A table as far as drawing a sample needs it. */
export interface SampledTable {
  readonly rows: number;
  /** The size of its files. */
  readonly bytes: number;
  readonly regions: readonly Region[];
}

const MB = 1e6;
/** A sample of all rows may read this much of any table. */
const MOST_BYTES = 64 * MB;
/** Of a table of this many rows it may read this share, or this much if that is more. */
const LARGE_TABLE = 1_000_000;
const MOST_SHARE = 0.04;
const FREE_BYTES = MB;
/** Blocks of such a table are taken up to this share of the bytes: page headers and the footer come on top. */
const BLOCK_SHARE = 0.03;

/**
 * Draws a seeded random sample from all rows where reading it is affordable, else from as many blocks as are.
 * It depends on the files and the seed alone; within either way a larger sample holds every smaller one.
 */
export function drawSample(table: SampledTable, { count, seed }: SampleOptions): TableSample {
  const order = permutation(table.rows, createRandom(seed));
  const drawn = (from: number, to: number): DrawnRows => ({ positions: order.slice(from, to), blocks: null });
  const positions = order.slice(0, count).sort();
  const cost = costOf(positions, table.regions);
  if (isAffordable(table, cost)) return { positions, blocks: null, note: null, drawn };
  return drawFromBlocks(table.regions, { count, seed, order, cost, budget: budgetOf(table), most: MOST_BYTES });
}

function isAffordable({ rows, bytes }: SampledTable, cost: number): boolean {
  if (cost > MOST_BYTES) return false;
  return rows < LARGE_TABLE || cost <= Math.max(FREE_BYTES, bytes * MOST_SHARE);
}

function budgetOf({ rows, bytes }: SampledTable): number {
  return rows < LARGE_TABLE ? MOST_BYTES : Math.min(MOST_BYTES, bytes * BLOCK_SHARE);
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
