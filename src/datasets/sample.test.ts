import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { sampleIndices, sampleStratifiedIndices, takeSample } from "./sample.js";

describe("sampleIndices", () => {
  it("draws distinct positions in order, the same for the same seed, and contains every smaller sample", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), fc.nat(300), fc.nat(), (total, a, b, seed) => {
        const [small, large] = [Math.min(a, b, total), Math.min(Math.max(a, b), total)];
        const drawn = [...sampleIndices(total, large, seed)];
        expect(drawn).toHaveLength(large);
        expect(drawn).toEqual([...new Set(drawn)].sort((x, y) => x - y));
        expect(drawn.every((index) => index < total)).toBe(true);
        expect(drawn).toEqual([...sampleIndices(total, large, seed)]);
        expect(drawn).toEqual(expect.arrayContaining([...sampleIndices(total, small, seed)]));
      }),
    );
  });

  it("draws every position about equally often", () => {
    const hits = Array.from({ length: 20 }, () => 0);
    for (let seed = 0; seed < 2000; seed++)
      for (const index of sampleIndices(20, 5, seed)) hits[index] = (hits[index] ?? 0) + 1;
    // 500 expected; five standard deviations of a binomial (2000, 1/4) are 97.
    expect(Math.min(...hits)).toBeGreaterThan(403);
    expect(Math.max(...hits)).toBeLessThan(597);
  });
});

describe("takeSample", () => {
  const items = Array.from({ length: 100 }, (_, index) => index);

  it("takes a sample, the first ones, or everything", () => {
    const sample = takeSample(items, { maxExamples: 10, seed: 3 });
    expect(sample).toHaveLength(10);
    expect(sample).not.toEqual(items.slice(0, 10));
    expect(sample).not.toEqual(takeSample(items, { maxExamples: 10, seed: 4 }));
    expect(takeSample(items, { maxExamples: 10 })).toEqual(takeSample(items, { maxExamples: 10, seed: 0 }));
    expect(takeSample(items, { maxExamples: 3, head: true })).toEqual([0, 1, 2]);
    expect(takeSample(items, { maxExamples: 100 })).toBe(items);
    expect(takeSample(items, {})).toBe(items);
  });

  it.each([0, -1, 1.5, Number.NaN])("rejects %s examples", (maxExamples) => {
    expect(() => takeSample(items, { maxExamples })).toThrow(UsageError);
  });
});

describe("sampleStratifiedIndices", () => {
  const strata = fc.array(fc.constantFrom("a", "b", "c", undefined), { maxLength: 200 });

  it("gives each stratum its share, plus or minus one, and contains every smaller sample", () => {
    fc.assert(
      fc.property(strata, fc.nat(200), fc.nat(200), fc.nat(), (given, a, b, seed) => {
        const [small, large] = [Math.min(a, b, given.length), Math.min(Math.max(a, b), given.length)];
        const drawn = [...sampleStratifiedIndices(given, large, seed)];
        expect(drawn).toEqual([...new Set(drawn)].sort((x, y) => x - y));
        expect(drawn).toHaveLength(large);
        expect(drawn).toEqual(expect.arrayContaining([...sampleStratifiedIndices(given, small, seed)]));
        for (const stratum of new Set(given)) {
          const share = (large * given.filter((one) => one === stratum).length) / Math.max(1, given.length);
          const taken = drawn.filter((index) => given[index] === stratum).length;
          expect(Math.abs(taken - share)).toBeLessThan(2);
        }
      }),
    );
  });

  it("draws every member of a stratum about equally often", () => {
    const given = [...Array.from({ length: 12 }, () => "large"), ...Array.from({ length: 6 }, () => "small")];
    const hits = given.map(() => 0);
    for (let seed = 0; seed < 3000; seed++)
      for (const index of sampleStratifiedIndices(given, 6, seed)) hits[index] = (hits[index] ?? 0) + 1;
    // 1,000 expected; five standard deviations of a binomial (3000, 1/3) are 129.
    expect(Math.min(...hits)).toBeGreaterThan(871);
    expect(Math.max(...hits)).toBeLessThan(1129);
  });

  it("uses a separate seed if one is given", () => {
    const items = Array.from({ length: 100 }, (_, index) => index);
    const drawn = takeSample(items, { maxExamples: 5, seed: 1, shuffleSeed: 2 });
    expect(drawn).toEqual(takeSample(items, { maxExamples: 5, seed: 2 }));
    expect(drawn).not.toEqual(takeSample(items, { maxExamples: 5, seed: 1 }));
  });
});
