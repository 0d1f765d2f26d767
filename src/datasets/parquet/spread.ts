import { createRandom, hashSeed, permutation } from "../../stats/index.js";

/** So many items under a key that its random order is made from. */
export interface SpreadList {
  readonly key: number;
  readonly size: number;
}

/** An item, by its list and its number there, both counted from 0. */
interface SpreadItem {
  readonly list: number;
  readonly item: number;
}

/**
 * The first `count` items of all lists in a seeded random order in which every beginning holds of each list its share,
 * give or take one. A list's items are put in random order and spread evenly over [0, 1) from a random start; those that
 * come first on that line are taken.
 * @example
 * spread([{ key: 0, size: 300 }, { key: 1, size: 100 }], { count: 8, seed: 1 }); // about six of the first, two of the second
 */
export function spread(
  lists: readonly SpreadList[],
  { count, seed }: { count: number; seed: number },
): readonly SpreadItem[] {
  const total = lists.reduce((sum, { size }) => sum + size, 0);
  // No list has more than one item less than its share before this place, so that there are enough of them.
  const limit = (count + lists.length) / total;
  const places: (SpreadItem & { place: number })[] = [];
  for (const [list, { key, size }] of lists.entries()) {
    const random = createRandom(hashSeed(seed, key));
    const start = random.next();
    for (const [rank, item] of permutation(size, random).entries()) {
      const place = (rank + start) / size;
      if (place >= limit) break;
      places.push({ list, item, place });
    }
  }
  return places.sort((a, b) => a.place - b.place || a.list - b.list).slice(0, count);
}
