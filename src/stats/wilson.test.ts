import fc from "fast-check";
import { expect, it } from "vitest";
import { binomialCdf } from "./distributions.js";
import { wilsonInterval } from "./intervals.js";

it.each([
  [8, 10, 0.490162, 0.943318],
  [0, 10, 0, 0.277533],
  [10, 10, 0.722467, 1],
  [97, 100, 0.915481, 0.989745],
  [4, 5, 0.37553463, 0.96377589],
])("returns the known interval for %i of %i", (passes, n, low, high) => {
  const interval = wilsonInterval(passes, n);
  expect(interval.low).toBeCloseTo(low, 6);
  expect(interval.high).toBeCloseTo(high, 6);
});

it("is exact at 0 and 1, contains the rate, is symmetric and widens with the level", () => {
  const counts = fc
    .integer({ min: 1, max: 1e6 })
    .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
  fc.assert(
    fc.property(counts, ([passes, n]) => {
      const { low, high } = wilsonInterval(passes, n);
      const mirrored = wilsonInterval(n - passes, n);
      expect(low).toBeLessThanOrEqual(passes / n);
      expect(high).toBeGreaterThanOrEqual(passes / n);
      expect(mirrored.low).toBeCloseTo(1 - high, 12);
      expect(wilsonInterval(passes, n, 0.99).low).toBeLessThanOrEqual(low);
    }),
  );
  expect(wilsonInterval(0, 7).low).toBe(0);
  expect(wilsonInterval(7, 7).high).toBe(1);
});

it("covers 95 % on average over the true rate, computed exactly", () => {
  for (const n of [5, 20, 60]) {
    const intervals = Array.from({ length: n + 1 }, (_, passes) => wilsonInterval(passes, n));
    let coverage = 0;
    const grid = 99;
    for (let g = 1; g <= grid; g++) {
      const p = g / (grid + 1);
      intervals.forEach(({ low, high }, passes) => {
        if (low <= p && p <= high) coverage += binomialCdf(passes, n, p) - binomialCdf(passes - 1, n, p);
      });
    }
    expect(coverage / grid).toBeGreaterThan(0.94);
    expect(coverage / grid).toBeLessThan(0.965);
  }
});

it("names an invalid argument", () => {
  expect(() => wilsonInterval(1, 0)).toThrow(/^n must/);
  expect(() => wilsonInterval(6, 5)).toThrow(/^passes must/);
  expect(() => wilsonInterval(1, 5, 95)).toThrow(/^level must/);
});
