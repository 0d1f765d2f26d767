import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, createSeedHasher, createXoshiro128, hashSeed, permutation, shuffle } from "./random.js";

/** Pearson's chi-square statistic against a uniform distribution. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe("createSeedHasher", () => {
  it("equals hashSeed of three parts", () => {
    for (const first of [0, -7, 2 ** 40, "a", ""])
      for (const second of ["", "e1", 5]) expect(createSeedHasher(first)(second, 3)).toBe(hashSeed(first, second, 3));
  });
});

describe("hashSeed", () => {
  it("returns an unsigned 32-bit integer that depends on every part, its type and the boundaries", () => {
    const hashes = [
      hashSeed(),
      hashSeed(0),
      hashSeed(1),
      hashSeed("1"),
      hashSeed(1, 0),
      hashSeed(0, 1),
      hashSeed(0.5),
      hashSeed("ab", "c"),
      hashSeed("a", "bc"),
      hashSeed("abc"),
      hashSeed(""),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toBe(hash >>> 0);
  });

  it("spreads consecutive seeds over all bits", () => {
    const buckets = Array.from({ length: 64 }, () => 0);
    for (let seed = 0; seed < 64_000; seed++) {
      const bucket = hashSeed("run", seed) >>> 26;
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(chiSquare(buckets)).toBeLessThan(110);
  });

  it("stays stable, because stored runs depend on it", () => {
    expect([hashSeed("assay", 1), hashSeed(42), hashSeed("example-7", 0)]).toMatchInlineSnapshot(`
      [
        2994225061,
        3525624735,
        4123450716,
      ]
    `);
  });
});

it("matches the sequence of an independent 64-bit xoshiro128** from the state 1, 2, 3, 4", () => {
  const sequence = Array.from({ length: 6 }, createXoshiro128(Int32Array.of(1, 2, 3, 4)));
  expect(sequence).toEqual([11520, 0, 5927040, 70819200, 2031721883, 1637235492]);
});

describe("createRandom", () => {
  it("repeats the stream for the same seed and differs for others", () => {
    const take = (seed: number | string) => Array.from({ length: 5 }, createRandom(seed).next);
    expect(take(7)).toEqual(take(7));
    expect(take("a")).toEqual(take("a"));
    expect(take(7)).not.toEqual(take(8));
    expect(take(7)).not.toEqual(take("7"));
  });

  it("stays in [0, 1) with the moments of a uniform variable", () => {
    const random = createRandom("moments");
    let sum = 0;
    let squares = 0;
    const n = 200_000;
    for (let i = 0; i < n; i++) {
      const x = random.next();
      if (!(x >= 0 && x < 1)) throw new Error(`outside: ${x}`);
      sum += x;
      squares += x * x;
    }
    expect(sum / n).toBeCloseTo(1 / 2, 2);
    expect(squares / n).toBeCloseTo(1 / 3, 2);
  });

  it.each([2, 3, 7, 100])("draws int(%i) uniformly", (n) => {
    const random = createRandom(n);
    const counts = Array.from({ length: n }, () => 0);
    for (let i = 0; i < 50_000; i++) {
      const drawn = random.int(n);
      counts[drawn] = (counts[drawn] ?? 0) + 1;
    }
    expect(counts).toHaveLength(n);
    expect(chiSquare(counts)).toBeLessThan(n - 1 + 5 * Math.sqrt(2 * n));
  });

  it("keeps int(n) in range on both sides of the exact limit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 }), fc.integer(), (n, seed) => {
        const drawn = createRandom(seed).int(n);
        return Number.isInteger(drawn) && drawn >= 0 && drawn < n;
      }),
    );
  });
});

describe("permutation and shuffle", () => {
  it("returns every index once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.string(), (n, seed) => {
        const order = permutation(n, createRandom(seed));
        expect([...order].sort((x, y) => x - y)).toEqual(Array.from({ length: n }, (_, i) => i));
      }),
    );
  });

  it("produces all orders of four with equal probability", () => {
    const random = createRandom("orders");
    const seen = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const key = permutation(4, random).join("");
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    expect(seen.size).toBe(24);
    expect(chiSquare([...seen.values()])).toBeLessThan(60);
  });

  it("shuffles a copy", () => {
    const items = ["a", "b", "c", "d", "e"];
    const shuffled = shuffle(items, createRandom(3));
    expect(items).toEqual(["a", "b", "c", "d", "e"]);
    expect(shuffled.toSorted()).toEqual(items);
  });

  it("names an invalid n", () => {
    expect(() => permutation(-1, createRandom(1))).toThrow(/^n must be/);
  });
});
