import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { sampleIndices, takeSample } from "./sample.js";

describe("sampleIndices", () => {
  it("draws distinct positions in order, the same for the same seed, and holds every smaller sample", () => {
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

  it.each([0, -1, 1.5, Number.NaN])("refuses %s examples", (maxExamples) => {
    expect(() => takeSample(items, { maxExamples })).toThrow(UsageError);
  });
});
