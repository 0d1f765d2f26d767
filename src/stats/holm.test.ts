import fc from "fast-check";
import { expect, it } from "vitest";
import { holm } from "./paired.js";

it("keeps the original order", () => {
  const adjusted = holm([0.01, 0.04, 0.03]);
  expect(adjusted[0]).toBeCloseTo(0.03, 14);
  expect(adjusted[1]).toBeCloseTo(0.06, 14);
  expect(adjusted[2]).toBeCloseTo(0.06, 14);
  expect(holm([])).toEqual([]);
  expect(holm([0.2])).toEqual([0.2]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});

it("lies between the raw and the Bonferroni value and rejects as the step-down rule does", () => {
  const ps = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(ps, (values) => {
      const adjusted = holm(values);
      const ascending = values.toSorted((x, y) => x - y);
      const failing = ascending.findIndex((p, rank) => p * (values.length - rank) > 0.05);
      const rejected = failing === -1 ? values.length : failing;
      expect(adjusted.filter((p) => p <= 0.05)).toHaveLength(rejected);
      values.forEach((p, i) => {
        expect(adjusted[i]).toBeGreaterThanOrEqual(p);
        expect(adjusted[i]).toBeLessThanOrEqual(Math.min(1, p * values.length));
      });
    }),
  );
});

it("names an invalid p-value", () => {
  expect(() => holm([0.1, 1.2])).toThrow(/^pValues must/);
});
