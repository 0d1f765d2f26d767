import { createRandom, permutation } from "../../stats/index.js";
import { drawFromBlocks } from "./block-sample.js";
import type { DrawnRows, Region, SampleOptions, TableSample } from "./table.js";

/** A table as far as drawing a sample needs it. */
export interface SampledTable {
  readonly rows: number;
  /** The size of its files. */
  readonly bytes: number;
  readonly regions: readonly Region[];
}

const MB = 1e6;
/** A sample of all rows may read this much of any table. */
const MAX_SAMPLE_BYTES = 64 * MB;
/** Of a table of this many rows it may read this share, or this much if that is more. */
const LARGE_TABLE_ROWS = 1_000_000;
const MAX_SAMPLE_SHARE = 0.04;
const FREE_BYTES = MB;
/** Blocks of such a table are taken up to this share of the bytes: the footer and indexes come on top. */
const BLOCK_SHARE = 0.03;

/**
 * Draws a seeded random sample from all rows where reading it is affordable, else from as many blocks as are.
 * It depends on the files and the seed alone; within either way a larger sample holds every smaller one.
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

/** About how many bytes reading these rows takes. */
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
