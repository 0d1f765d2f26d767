import fc from "fast-check";
import { expect, it } from "vitest";
import { spreadEvenly } from "./sample.js";

const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 });

it("returns each item once, each list in proportion, and a superset for a larger count", () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(100), (given, seed, asked) => {
      const lists = given.map((size, key) => ({ key, size }));
      const total = given.reduce((sum, size) => sum + size, 0);
      const all = spreadEvenly(lists, { count: total, seed });
      expect(new Set(all.map(({ list, item }) => `${list} ${item}`)).size).toBe(total);
      const count = Math.min(asked, total);
      const some = spreadEvenly(lists, { count, seed });
      expect(some).toEqual(all.slice(0, count));
      for (const [list, size] of given.entries()) {
        const share = (count * size) / Math.max(1, total);
        expect(Math.abs(some.filter((one) => one.list === list).length - share)).toBeLessThan(given.length + 1);
      }
    }),
    { numRuns: 100 },
  );
});

it("takes one item of each list before a second of any, if they have the same size", () => {
  const lists = Array.from({ length: 20 }, (_, key) => ({ key, size: 50 }));
  expect(new Set(spreadEvenly(lists, { count: 20, seed: 1 }).map(({ list }) => list)).size).toBe(20);
  expect(spreadEvenly(lists, { count: 20, seed: 1 })).not.toEqual(spreadEvenly(lists, { count: 20, seed: 2 }));
});
