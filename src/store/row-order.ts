import type { EvalRow } from "../core/index.js";
import { ExampleIndex, encodeExampleKey } from "./examples.js";

/** The order of the rows of a run. */
export interface RowOrder {
  /** System names in the order of the plan. */
  readonly systems: readonly string[];
  /** The order of the examples; null if it was not stored: then they are sorted by name. */
  readonly examples: ExampleIndex | null;
}

/**
 * Returns the last row of each trial, in the order of the plan. Rows are written as trials finish, which differs each time:
 * figures must not depend on it.
 */
export function sortRowsByPlan(rows: readonly EvalRow[], { systems, examples }: RowOrder): EvalRow[] {
  const compare = createRowComparer(rows, { systems, examples: examples ?? indexExamplesByName(rows) });
  const sorted = new Uint32Array(rows.length).map((_, index) => index).sort((a, b) => compare(a, b) || a - b);
  const last = sorted.filter((index, at) => at + 1 === sorted.length || compare(index, sorted[at + 1] ?? 0) !== 0);
  return Array.from(last, (index) => rows[index] as EvalRow);
}

/**
 * Compares rows by index; rows of one trial are equal. Positions are kept in typed arrays: for a million rows, string keys
 * would be larger than the rows.
 */
function createRowComparer(
  rows: readonly EvalRow[],
  { systems, examples }: { systems: readonly string[]; examples: ExampleIndex },
): (a: number, b: number) => number {
  const systemPlace = new Map(systems.map((name, place) => [name, place]));
  const system = new Uint32Array(rows.length);
  const example = new Uint32Array(rows.length);
  for (const [index, row] of rows.entries()) {
    if (!systemPlace.has(row.system)) systemPlace.set(row.system, systemPlace.size);
    system[index] = systemPlace.get(row.system) ?? 0;
    example[index] = examples.getOrAdd(row);
  }
  const difference = (places: Uint32Array, a: number, b: number) => (places[a] ?? 0) - (places[b] ?? 0);
  const trial = (index: number) => rows[index]?.trial ?? 0;
  return (a, b) => difference(system, a, b) || difference(example, a, b) || trial(a) - trial(b);
}

/** Sorts examples by name if their order was not stored: `2` before `10`. */
function indexExamplesByName(rows: readonly EvalRow[]): ExampleIndex {
  const collator = new Intl.Collator("en", { numeric: true });
  const examples = new Map(rows.map((row) => [encodeExampleKey(row.dataset, row.exampleId), row]));
  const sorted = [...examples].sort(
    ([keyA, a], [keyB, b]) =>
      collator.compare(a.dataset, b.dataset) ||
      collator.compare(String(a.exampleId), String(b.exampleId)) ||
      // `1` and `01` are equal as numbers.
      (keyA < keyB ? -1 : 1),
  );
  const places = new ExampleIndex();
  for (const [, example] of sorted) places.getOrAdd(example);
  return places;
}
