import type { Example } from "../core/example.js";
import { readFacetValue } from "../core/facets.js";
import type { EvalRow } from "../core/row.js";
import { createRandom, hashSeed, permutation } from "../stats/index.js";
import type { Plan } from "./plan.js";
import type { DatasetPlan } from "./wiring.js";

type GroupingInput = Pick<Plan, "wiringOf"> & {
  readonly examples: readonly Example[];
  readonly wirings: readonly { readonly groupBy: string | null }[];
};

/** Examples that stay together in the order of a run. */
export interface ExampleGroups {
  readonly of: Uint32Array;
  readonly count: number;
}

/**
 * Groups the examples of a plan: those of one dataset with the same value in its `groupBy` field. An example without
 * that field, or of a dataset without `groupBy`, is its own group. Null if no dataset has groups.
 */
export function groupExamples({ examples, wiringOf, wirings }: GroupingInput): ExampleGroups | null {
  if (wirings.every(({ groupBy }) => groupBy === null)) return null;
  const of = new Uint32Array(examples.length);
  const known = new Map<string, number>();
  let count = 0;
  for (const [index, example] of examples.entries()) {
    const wiring = wiringOf[index] ?? 0;
    const groupBy = wirings[wiring]?.groupBy ?? null;
    const value = groupBy === null ? null : readFacetValue(example, groupBy);
    const name = value === null ? null : JSON.stringify([wiring, value]);
    const group = (name === null ? undefined : known.get(name)) ?? count;
    if (name !== null) known.set(name, group);
    if (group === count) count += 1;
    of[index] = group;
  }
  return { of, count };
}

/** The pairs `example × systems + system` of one round of trials, in execution order. */
export function shuffleRound(
  { examples, groups, seed }: Pick<Plan, "examples" | "groups" | "seed">,
  systems: number,
  trial: number,
): Uint32Array {
  const shuffled = permutation(systems * examples.length, createRandom(hashSeed(seed, "order", trial)));
  if (groups === null) return shuffled;
  const place = permutation(groups.count, createRandom(hashSeed(seed, "groups", trial)));
  const placeOf = (pair: number) => place[groups.of[Math.floor(pair / systems)] ?? 0] ?? 0;
  // The sort is stable, so the order within each group stays shuffled.
  return shuffled.sort((a, b) => placeOf(a) - placeOf(b));
}

/** The group of an example's rows; null if the dataset has no groups or the example is in none. */
export function getRowGroup({ groupBy }: Pick<DatasetPlan, "groupBy">, example: Example): EvalRow["group"] {
  if (groupBy === null) return null;
  const value = readFacetValue(example, groupBy);
  return typeof value === "boolean" ? String(value) : value;
}
