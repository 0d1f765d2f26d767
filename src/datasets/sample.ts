import type { LoadOptions } from "../core/index.js";
import { describeValue, UsageError } from "../core/index.js";
import { createRandom, hashSeed, permutation } from "../stats/index.js";

export type SamplingOptions = Pick<LoadOptions, "maxExamples" | "head" | "seed" | "shuffleSeed">;

export function getSampleSeed({ seed = 0, shuffleSeed = seed }: SamplingOptions): number {
  return shuffleSeed;
}

/**
 * The positions of a seeded random sample, ascending. A larger sample with the same seed contains every smaller one, so
 * that raising `-n` keeps the work already done.
 * @example
 * sampleIndices(1000, 50, 0); // 50 of 0…999
 */
export function sampleIndices(total: number, count: number, seed: number): Uint32Array {
  return computeDrawOrder(total, { seed }).slice(0, count).sort();
}

/** All positions in sampling order: seeded random, or in file order with `head`. */
export function computeDrawOrder(total: number, sampling: SamplingOptions): Uint32Array {
  if (sampling.head === true) return Uint32Array.from({ length: total }, (_, position) => position);
  return permutation(total, createRandom(getSampleSeed(sampling)));
}

/**
 * Takes at most `maxExamples` items, in order: a seeded random sample, or the first ones with `head`. With strata, the
 * sample contains each stratum in proportion.
 * @example
 * takeSample(examples, { maxExamples: 50, seed: 1 });
 */
export function takeSample<T>(
  items: readonly T[],
  sampling: SamplingOptions,
  stratumOf?: (item: T) => string | undefined,
): readonly T[] {
  const { maxExamples, head } = sampling;
  if (maxExamples === undefined) return items;
  requireMaxExamples(maxExamples);
  if (maxExamples >= items.length) return items;
  if (head === true) return items.slice(0, maxExamples);
  const seed = getSampleSeed(sampling);
  const chosen =
    stratumOf === undefined
      ? sampleIndices(items.length, maxExamples, seed)
      : sampleStratifiedIndices(items.map(stratumOf), maxExamples, seed);
  return Array.from(chosen, (index) => items[index] as T);
}

/**
 * The positions of a seeded stratified sample, ascending. Each stratum is shuffled and spaced evenly over [0, 1) from a
 * random start; the lowest positions are taken. So each stratum has its share of every sample, plus or minus one, and a
 * larger sample contains every smaller one.
 * @example
 * sampleStratifiedIndices(["a", "a", "a", "b"], 2, 0); // two positions
 */
export function sampleStratifiedIndices(
  strata: readonly (string | undefined)[],
  count: number,
  seed: number,
): Uint32Array {
  const members = new Map<string, number[]>();
  for (const [index, stratum = ""] of strata.entries()) {
    const known = members.get(stratum);
    if (known === undefined) members.set(stratum, [index]);
    else known.push(index);
  }
  const places: { index: number; place: number }[] = [];
  for (const [stratum, indices] of members) {
    const random = createRandom(hashSeed(seed, stratum));
    const start = random.next();
    for (const [rank, member] of permutation(indices.length, random).entries())
      places.push({ index: indices[member] as number, place: (rank + start) / indices.length });
  }
  places.sort((a, b) => a.place - b.place || a.index - b.index);
  return Uint32Array.from(places.slice(0, count), ({ index }) => index).sort();
}

export function requireMaxExamples(maxExamples: number | undefined): void {
  if (maxExamples === undefined || (Number.isInteger(maxExamples) && maxExamples >= 1)) return;
  throw new UsageError(
    `-n/--max-examples (maxExamples) must be a whole number of at least 1, but is ${describeValue(maxExamples)}.`,
  );
}
