import { type Block, type BlockList, blocksOf } from "./blocks.js";
import type { Region } from "./regions.js";
import { spread } from "./spread.js";
import type { DrawnRows, TableSample } from "./table.js";

/** How a sample is drawn from blocks. */
export interface BlockSampleOptions {
  readonly count: number;
  readonly seed: number;
  /** What a sample of all rows would have cost, for the note. */
  readonly cost: number;
  readonly budget: number;
  /** The budget may be overdrawn up to here, rather than to draw from a single block. */
  readonly most: number;
}

/** A block and its number in the order of the file, counted from 1. */
interface NumberedBlock extends Block {
  readonly number: number;
  /** What the first block of its region costs on top. */
  readonly fixed: number;
  readonly region: number;
}

/** One block says nothing about how much blocks differ. */
const FEWEST_BLOCKS = 2;

/** Draws a sample from as many blocks as are affordable: a share of each one's rows, and blocks of every row group. */
export function drawFromBlocks(regions: readonly Region[], options: BlockSampleOptions): TableSample {
  const lists = blocksOf(regions, options);
  const blocks = inRandomOrder(lists, options.seed);
  const affordable = countAffordable(blocks, options);
  // Those that are affordable are drawn from together; each other one alone, and only when rows are still missing.
  const rounds = [blocks.slice(0, affordable), ...blocks.slice(affordable).map((block) => [block])];
  const drawn = (from: number, to: number) => drawRows(rounds, { from, to, seed: options.seed });
  const { positions, blocks: drawnFrom } = ascending(drawn(0, options.count));
  if (affordable < blocks.length || blocks.some(({ isWhole }) => !isWhole))
    return { positions, blocks: drawnFrom, note: noteOn(blocks, drawnFrom, options.cost), drawn };
  // From every block its share: that is a sample of all rows.
  return { positions, blocks: null, note: null, drawn: (from, to) => ({ ...drawn(from, to), blocks: null }) };
}

/** Blocks in a random order of which every beginning is spread over all regions. */
function inRandomOrder(lists: readonly BlockList[], seed: number): NumberedBlock[] {
  let before = 0;
  const numbered = lists.map(({ blocks, fixed }, region) => {
    const first = before + 1;
    before += blocks.length;
    return blocks.map((block, at): NumberedBlock => ({ ...block, fixed, region, number: first + at }));
  });
  const sizes = numbered.map((blocks, key) => ({ key, size: blocks.length }));
  return spread(sizes, { count: before, seed }).flatMap(({ list, item }) => numbered[list]?.[item] ?? []);
}

function countAffordable(blocks: readonly NumberedBlock[], { budget, most }: BlockSampleOptions): number {
  const met = new Set<number>();
  let cost = 0;
  for (const [at, { cost: own, fixed, region }] of blocks.entries()) {
    cost += own + (met.has(region) ? 0 : fixed);
    met.add(region);
    if (at > 0 && cost > (at < FEWEST_BLOCKS ? most : budget)) return at;
  }
  return blocks.length;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly seed: number;
}

function drawRows(rounds: readonly (readonly NumberedBlock[])[], { from, to, seed }: Stretch): DrawnRows {
  const positions: number[] = [];
  const numbers: number[] = [];
  for (const blocks of rounds) {
    if (positions.length >= to) break;
    const sizes = blocks.map(({ number, rows }) => ({ key: number, size: rows }));
    for (const { list, item } of spread(sizes, { count: to - positions.length, seed })) {
      positions.push((blocks[list]?.first ?? 0) + item);
      numbers.push(blocks[list]?.number ?? 0);
    }
  }
  return { positions: Uint32Array.from(positions.slice(from)), blocks: Uint32Array.from(numbers.slice(from)) };
}

function ascending({ positions, blocks }: DrawnRows): { positions: Uint32Array; blocks: Uint32Array } {
  const order = Array.from(positions.keys()).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  return { positions: positions.toSorted(), blocks: Uint32Array.from(order, (at) => blocks?.[at] ?? 0) };
}

function noteOn(blocks: readonly NumberedBlock[], drawnFrom: Uint32Array, cost: number): string {
  const used = new Set(drawnFrom);
  const part = blocks.every(({ isStart, number }) => isStart || !used.has(number)) ? "the first rows of " : "";
  const [some, all, size] = [used.size, blocks.length, Math.round(cost / 1e6)].map((n) => n.toLocaleString("en-US"));
  return `the sample is drawn from ${part}${some} of ${all} blocks of the file, because reading rows from all over it would take ${size} MB; intervals are by block`;
}
