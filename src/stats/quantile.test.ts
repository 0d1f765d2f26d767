import fc from "fast-check";
import { expect, it } from "vitest";
import { median, quantile, quantileSorted } from "./quantile.js";

it("interpolates like type 7", () => {
  expect(quantile([3, 1, 2, 10], 0.95)).toBeCloseTo(8.95, 12);
  expect(quantile([1, 2, 3, 4, 5], 0.25)).toBe(2);
  expect(quantile([5], 0.9)).toBe(5);
  expect(median([5, 1, 2, 4])).toBe(3);
  expect(median([3, 1, 2])).toBe(2);
});

it("does not modify its input and handles infinite values", () => {
  const values = [3, Number.POSITIVE_INFINITY, 1, Number.POSITIVE_INFINITY];
  expect(quantile(values, 1)).toBe(Number.POSITIVE_INFINITY);
  expect(quantile(values, 0.9)).toBe(Number.POSITIVE_INFINITY);
  expect(quantile(values, 0)).toBe(1);
  expect(values[0]).toBe(3);
});

it("is monotone, bounded by the extremes, and symmetric", () => {
  const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (xs, p) => {
      const q = quantile(xs, p);
      expect(q).toBeGreaterThanOrEqual(Math.min(...xs));
      expect(q).toBeLessThanOrEqual(Math.max(...xs));
      expect(quantile(xs, p / 2)).toBeLessThanOrEqual(q);
      expect(
        -quantile(
          xs.map((x) => -x),
          1 - p,
        ),
      ).toBeCloseTo(q, 6);
    }),
  );
});

it("names an invalid argument", () => {
  expect(() => quantile([], 0.5)).toThrow(/^values must not be empty/);
  expect(() => quantileSorted([1, 2], 1.5)).toThrow(/^p must/);
  expect(() => quantile([1, 2], Number.NaN)).toThrow(/^p must/);
});
