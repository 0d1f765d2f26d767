import type { LoadOptions } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import { describe } from "../core/shape.js";
import { createRandom, permutation } from "../stats/index.js";

/**
 * The positions of a seeded random sample, ascending. A larger sample with the same seed holds every smaller one, so
 * that raising `-n` keeps the work already done.
 * @example
 * sampleIndices(1000, 50, 0); // 50 of 0…999
 */
export function sampleIndices(total: number, count: number, seed: number): Uint32Array {
  return permutation(total, createRandom(seed)).slice(0, count).sort();
}

/**
 * At most `maxExamples` of the items, in their order: a seeded random sample, or the first ones with `head`.
 * @example
 * takeSample(examples, { maxExamples: 50, seed: 1 });
 */
export function takeSample<T>(
  items: readonly T[],
  { maxExamples, head, seed = 0 }: Pick<LoadOptions, "maxExamples" | "head" | "seed">,
): readonly T[] {
  if (maxExamples === undefined) return items;
  requireMaxExamples(maxExamples);
  if (maxExamples >= items.length) return items;
  if (head === true) return items.slice(0, maxExamples);
  return Array.from(sampleIndices(items.length, maxExamples, seed), (index) => items[index] as T);
}

export function requireMaxExamples(maxExamples: number | undefined): void {
  if (maxExamples === undefined || (Number.isInteger(maxExamples) && maxExamples >= 1)) return;
  throw new UsageError(
    `-n/--max-examples (maxExamples) must be a whole number of at least 1, but is ${describe(maxExamples)}.`,
  );
}
