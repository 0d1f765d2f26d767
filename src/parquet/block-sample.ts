import { createRandom, hashSeed, permutation } from "../stats/index.js";
import { type Block, type BlockList, blocksOf } from "./blocks.js";
import type { Region } from "./regions.js";
import { spread } from "./spread.js";
import type { DrawnRows, TableSample } from "./table.js";

/** How a sample is drawn from blocks. */
export interface BlockSampleOptions {
  readonly count: number;
  readonly seed: number;
  /** All rows of the table in random order. */
  readonly order: Uint32Array;
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
/** Rows that blocks are chosen by: more than there are blocks to be paid for. */
const TICKETS = 20_000;

/**
 * Draws a sample from as many blocks as are affordable. Rows are drawn from all over the table, of each region its
 * share, and each is a ticket for the block that stands for it: a row of that block is taken in its place. So a block has as many rows of the sample as the
 * rows that it stands for have of the table, whatever its size. Where the next block is too dear, it begins anew with
 * the first ticket, and takes further rows of the same blocks.
 */
export function drawFromBlocks(regions: readonly Region[], options: BlockSampleOptions): TableSample {
  const filled = regions.filter(({ rows }) => rows > 0);
  const shelf = new BlockShelf(filled, blocksOf(filled, options));
  const { order, seed, count } = options;
  const tickets = ticketsOf(filled, seed);
  const { affordable, isAll } = countAffordable(shelf, tickets, options);
  const rounds = { tickets: tickets.slice(0, affordable), rest: order, seed };
  const drawn = (from: number, to: number) => drawRows(shelf, rounds, { from, to });
  const { positions, blocks } = ascending(drawn(0, count));
  if (!isAll || shelf.hasStarts) return { positions, blocks, note: noteOn(shelf, blocks, options.cost), drawn };
  // Every block is affordable: that is a sample of all rows.
  return { positions, blocks: null, note: null, drawn: (from, to) => ({ ...drawn(from, to), blocks: null }) };
}

/** The blocks of a table, found by the rows that they stand for. */
class BlockShelf {
  readonly #regions: readonly Region[];
  readonly #lists: readonly (readonly NumberedBlock[])[];
  /** Numbers of the blocks that stand for the whole of their region. */
  readonly #starts: ReadonlySet<number>;
  readonly count: number;

  constructor(regions: readonly Region[], lists: readonly BlockList[]) {
    let before = 0;
    this.#regions = regions;
    this.#lists = lists.map(({ blocks, fixed }, region) => {
      const first = before + 1;
      before += blocks.length;
      return blocks.map((block, at): NumberedBlock => ({ ...block, fixed, region, number: first + at }));
    });
    const starts = this.#lists.flat().filter(({ isStart }) => isStart);
    this.#starts = new Set(starts.map(({ number }) => number));
    this.count = before;
  }

  /** True when rows of some region are in no block. */
  get hasStarts(): boolean {
    return this.#lists.some((blocks) => blocks.some(({ isWhole }) => !isWhole));
  }

  /** The block that a row is in, or that stands for it. */
  of(row: number): NumberedBlock {
    const region = this.#regionOf(row);
    const blocks = this.#lists[region] ?? [];
    const size = blocks[0]?.rows ?? 1;
    const at = Math.floor((row - (this.#regions[region]?.first ?? 0)) / size);
    const block = blocks[Math.min(at, blocks.length - 1)];
    if (block === undefined) throw new RangeError(`no block stands for row ${row}`);
    return block;
  }

  /** By halving: a table may have many thousands of row groups. */
  #regionOf(row: number): number {
    let [low, high] = [0, this.#regions.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#regions[middle]?.first ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  isStart(number: number): boolean {
    return this.#starts.has(number);
  }
}

/** Rows in a random order of which every beginning holds of each region its share. */
function ticketsOf(regions: readonly Region[], seed: number): number[] {
  const total = regions.reduce((sum, { rows }) => sum + rows, 0);
  const sizes = regions.map(({ rows }, key) => ({ key, size: rows }));
  const drawn = spread(sizes, { count: Math.min(total, TICKETS), seed });
  return drawn.map(({ list, item }) => (regions[list]?.first ?? 0) + item);
}

/** How many of the tickets are for blocks that can be paid for, and whether that is every block. */
function countAffordable(
  shelf: BlockShelf,
  tickets: readonly number[],
  { budget, most }: BlockSampleOptions,
): { affordable: number; isAll: boolean } {
  const [opened, regions] = [new Set<number>(), new Set<number>()];
  let cost = 0;
  for (const [at, row] of tickets.entries()) {
    const { number, cost: own, fixed, region } = shelf.of(row);
    if (opened.has(number)) continue;
    cost += own + (regions.has(region) ? 0 : fixed);
    if (opened.size > 0 && cost > (opened.size < FEWEST_BLOCKS ? most : budget))
      return { affordable: at, isAll: false };
    opened.add(number);
    regions.add(region);
  }
  return { affordable: tickets.length, isAll: opened.size === shelf.count };
}

interface Rounds {
  readonly tickets: readonly number[];
  /** All rows, for when more are wanted than the blocks of the tickets have. */
  readonly rest: Uint32Array;
  readonly seed: number;
}

function drawRows(
  shelf: BlockShelf,
  { tickets, rest, seed }: Rounds,
  { from, to }: { from: number; to: number },
): DrawnRows {
  const stacks = new Map<number, RowStack>();
  const [positions, numbers]: [number[], number[]] = [[], []];
  const take = (row: number): boolean => {
    const block = shelf.of(row);
    const stack = stacks.get(block.number) ?? new RowStack(block, seed);
    stacks.set(block.number, stack);
    const position = stack.next();
    if (position === null) return false;
    positions.push(position);
    numbers.push(block.number);
    return true;
  };
  for (let found = true; found && positions.length < to; ) {
    found = false;
    for (let at = 0; at < tickets.length && positions.length < to; at++) found = take(tickets[at] ?? 0) || found;
  }
  for (let at = 0; at < rest.length && positions.length < to; at++) take(rest[at] ?? 0);
  return { positions: Uint32Array.from(positions.slice(from)), blocks: Uint32Array.from(numbers.slice(from)) };
}

/** The rows of a block in random order, each given once. */
class RowStack {
  readonly #first: number;
  readonly #order: Uint32Array;
  #at = 0;

  constructor({ first, rows, number }: NumberedBlock, seed: number) {
    this.#first = first;
    this.#order = permutation(rows, createRandom(hashSeed(seed, number)));
  }

  next(): number | null {
    const item = this.#order[this.#at++];
    return item === undefined ? null : this.#first + item;
  }
}

function ascending({ positions, blocks }: DrawnRows): { positions: Uint32Array; blocks: Uint32Array } {
  const order = Array.from(positions.keys()).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  return { positions: positions.toSorted(), blocks: Uint32Array.from(order, (at) => blocks?.[at] ?? 0) };
}

function noteOn(shelf: BlockShelf, drawnFrom: Uint32Array, cost: number): string {
  const used = new Set(drawnFrom);
  const starts = [...used].filter((number) => shelf.isStart(number)).length;
  const part = starts === 0 ? "" : starts === used.size ? "the first rows of " : "the first rows, or all, of ";
  const [some, all, size] = [used.size, shelf.count, Math.round(cost / 1e6)].map((n) => n.toLocaleString("en-US"));
  return `the sample is drawn from ${part}${some} of ${all} blocks of the file, because reading rows from all over it would take ${size} MB; intervals are by block`;
}
