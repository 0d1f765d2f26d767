import { type Example, readFacetValue } from "../core/index.js";
import { createRandom, hashSeed, permutation } from "../stats/index.js";

/**
 * The order of a run. "rounds": every task once before any task twice, so that a run stopped half-way is a balanced
 * sample. "tasks": all trials of a task in every system before the next task, so that a run can stop after any task.
 */
export type RunOrder = "rounds" | "tasks";

/** Examples that stay together in the order of a run. */
export interface ExampleGroups {
  /** By example: its group. Groups are numbered by their first example. */
  readonly of: Uint32Array;
  readonly count: number;
}

interface GroupingInput {
  readonly examples: readonly Example[];
  readonly datasetIndexes: Uint32Array;
  readonly datasetPlans: readonly Grouping[];
}

interface Grouping {
  readonly groupBy: string | null;
  readonly pairedAs: string | null;
}

/**
 * Groups examples: those of one dataset with the same value in its `groupBy` field, and those with the same id in datasets
 * that share their tasks. Any other example is its own group. Null if no dataset has groups.
 */
export function groupExamples({ examples, datasetIndexes, datasetPlans }: GroupingInput): ExampleGroups | null {
  if (datasetPlans.every(({ groupBy, pairedAs }) => groupBy === null && pairedAs === null)) return null;
  const of = new Uint32Array(examples.length);
  const known = new Map<string, number>();
  let count = 0;
  for (const [index, example] of examples.entries()) {
    const name = nameGroup(example, datasetIndexes[index] ?? 0, datasetPlans);
    const group = (name === null ? undefined : known.get(name)) ?? count;
    if (name !== null) known.set(name, group);
    if (group === count) count += 1;
    of[index] = group;
  }
  return { of, count };
}

/** Null for an example that is its own group. */
function nameGroup(example: Example, dataset: number, datasetPlans: readonly Grouping[]): string | null {
  const { groupBy = null, pairedAs = null } = datasetPlans[dataset] ?? {};
  const value = groupBy === null ? null : readFacetValue(example, groupBy);
  if (value !== null) return JSON.stringify([pairedAs ?? dataset, "group", value]);
  return pairedAs === null ? null : JSON.stringify([pairedAs, "id", String(example.id)]);
}

/** Examples that are run and judged as one: those of a group, or a single example. In the seeded order of "tasks". */
export interface TaskUnits {
  readonly count: number;
  /** By example: the position of its unit in the order. */
  readonly positions: Uint32Array;
  /** The examples of the unit at a position, in the order of the dataset. */
  listExamples(position: number): Uint32Array;
}

/** Orders tasks at random by the seed. The order depends on nothing else, so that a resumed run keeps it. */
export function orderTasks({
  examples,
  groups,
  seed,
}: {
  examples: { readonly length: number };
  groups: ExampleGroups | null;
  seed: number;
}): TaskUnits {
  const count = groups?.count ?? examples.length;
  const order = permutation(count, createRandom(hashSeed(seed, "tasks")));
  const positionOf = new Uint32Array(count);
  for (const [position, unit] of order.entries()) positionOf[unit] = position;
  if (groups === null)
    return { count, positions: positionOf, listExamples: (position) => order.subarray(position, position + 1) };
  const positions = groups.of.map((unit) => positionOf[unit] ?? 0);
  const starts = new Uint32Array(count + 1);
  for (const position of positions) starts[position + 1] = (starts[position + 1] ?? 0) + 1;
  for (let position = 0; position < count; position++)
    starts[position + 1] = (starts[position + 1] ?? 0) + (starts[position] ?? 0);
  const sorted = new Uint32Array(examples.length);
  const next = starts.slice();
  for (const [example, position] of positions.entries()) {
    const place = next[position] ?? 0;
    sorted[place] = example;
    next[position] = place + 1;
  }
  const listExamples = (position: number) => sorted.subarray(starts[position], starts[position + 1]);
  return { count, positions, listExamples };
}
