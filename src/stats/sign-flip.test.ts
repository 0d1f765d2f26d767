import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSignFlipTest } from "./paired.js";
import { createRandom, sampleNormal } from "./random.js";

/** Enumerates all 2^n sign assignments of integers, where no sum rounds. */
function bruteForce(differences: readonly number[]): number {
  const total = (mask: number) => differences.reduce((sum, d, i) => sum + ((mask >> i) & 1 ? -d : d), 0);
  const observed = Math.abs(total(0));
  let extreme = 0;
  for (let mask = 0; mask < 2 ** differences.length; mask++) if (Math.abs(total(mask)) >= observed) extreme++;
  return extreme / 2 ** differences.length;
}

describe("runSignFlipTest", () => {
  it("matches an enumeration of all assignments, including zeros and ties", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 9 }), (differences) => {
        const { p, exact } = runSignFlipTest(differences, { seed: 1 });
        expect(p).toBeCloseTo(bruteForce(differences), 14);
        expect(exact).toBe(true);
      }),
    );
  });

  it("counts ties as ties although decimals round", () => {
    const tenths = [1, 2, -3, 4, 7, -6, 1, 1];
    const decimals = tenths.map((d) => d / 10);
    expect(runSignFlipTest(decimals, { seed: 1 }).p).toBe(bruteForce(tenths));
  });

  it("is exact up to twenty differences and sampled above", () => {
    const ones = (n: number) => Array.from({ length: n }, () => 1);
    expect(runSignFlipTest(ones(20), { seed: 1 })).toEqual({ p: 2 ** -19, exact: true });
    expect(runSignFlipTest(ones(21), { seed: 1 })).toEqual({ p: 1 / 10_001, exact: false });
    expect(runSignFlipTest([...ones(10), ...Array.from({ length: 500 }, () => 0)], { seed: 1 }).exact).toBe(true);
  });

  it("samples close to the exact result", () => {
    const random = createRandom("sampled");
    const few = Array.from({ length: 20 }, () => sampleNormal(random) + 0.35);
    const { p: counted } = runSignFlipTest(few, { seed: 1 });
    // A negligible difference pushes the list over the limit of enumeration.
    const { p: sampled, exact } = runSignFlipTest([...few, 1e-15], { seed: 1 });
    expect(exact).toBe(false);
    expect(Math.abs(sampled - counted)).toBeLessThan(4 * Math.sqrt((counted * (1 - counted)) / 10_000));
  });

  it("is deterministic for a seed and rejects a true null at its level", () => {
    const random = createRandom("null");
    let rejected = 0;
    for (let i = 0; i < 500; i++) {
      const differences = Array.from({ length: 25 }, () => sampleNormal(random));
      const options = { seed: i, permutations: 400 };
      const { p } = runSignFlipTest(differences, options);
      if (i < 5) expect(runSignFlipTest(differences, options).p).toBe(p);
      if (p <= 0.1) rejected++;
    }
    expect(rejected / 500).toBeGreaterThan(0.06);
    expect(rejected / 500).toBeLessThan(0.14);
  });
});
