import { expect, it } from "vitest";
import { binomialCdf } from "./distributions.js";
import { clopperPearsonInterval } from "./intervals.js";

it.each([
  [8, 10, 0.443905, 0.974789],
  [0, 10, 0, 0.308497],
  [97, 100, 0.914824, 0.99377],
])("returns the known interval for %i of %i", (passes, n, low, high) => {
  const interval = clopperPearsonInterval(passes, n);
  expect(interval.low).toBeCloseTo(low, 6);
  expect(interval.high).toBeCloseTo(high, 6);
});

it("leaves exactly 2.5 % of the binomial beyond each end", () => {
  for (const [passes, n] of [
    [1, 9],
    [30, 40],
    [500, 2000],
  ] as const) {
    const { low, high } = clopperPearsonInterval(passes, n);
    expect(1 - binomialCdf(passes - 1, n, low)).toBeCloseTo(0.025, 10);
    expect(binomialCdf(passes, n, high)).toBeCloseTo(0.025, 10);
  }
});

it("has a coverage of at least its level, computed exactly", () => {
  const n = 15;
  const intervals = Array.from({ length: n + 1 }, (_, passes) => clopperPearsonInterval(passes, n, 0.9));
  for (let p = 0.01; p < 1; p += 0.01) {
    let coverage = 0;
    intervals.forEach(({ low, high }, passes) => {
      if (low <= p && p <= high) coverage += binomialCdf(passes, n, p) - binomialCdf(passes - 1, n, p);
    });
    expect(coverage).toBeGreaterThanOrEqual(0.9 - 1e-9);
  }
});

it("names an invalid argument", () => {
  expect(() => clopperPearsonInterval(-1, 5)).toThrow(/^passes must/);
});
