import fc from "fast-check";
import { expect, it } from "vitest";
import { mean } from "./mean.js";

it("does not miss a threshold by rounding", () => {
  expect((0.7 + 0.7 + 0.7) / 3).toBeLessThan(0.7);
  expect(mean([0.7, 0.7, 0.7])).toBe(0.7);
});

it("returns the exact value for many equal values", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 300 }), (value, n) => {
      expect(mean(Array.from({ length: n }, () => value))).toBe(value);
    }),
  );
});

it("returns 0 for an empty list and propagates infinity", () => {
  expect(mean([])).toBe(0);
  expect(mean([1, Number.POSITIVE_INFINITY])).toBe(Number.POSITIVE_INFINITY);
  expect(mean(Float64Array.of(1, 2))).toBe(1.5);
});
