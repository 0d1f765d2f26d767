import fc from "fast-check";
import jstat from "jstat";
import { expect, it } from "vitest";
import { normalQuantile, studentCdf, studentQuantile, studentTwoSidedP } from "./distributions.js";

it.each([
  [1, 12.706205],
  [2, 4.302653],
  [4, 2.776445],
  [9, 2.262157],
  [19, 2.093024],
  [99, 1.984217],
])("returns t .975 at %i degrees of freedom", (df, expected) => {
  expect(Math.abs(studentQuantile(0.975, df) - expected)).toBeLessThan(1e-6);
  expect(studentQuantile(0.025, df)).toBeCloseTo(-studentQuantile(0.975, df), 12);
});

it("matches jstat to its seven digits", () => {
  for (const df of [2, 3, 7.5, 30, 200]) {
    for (const t of [-5, -1, 0, 0.3, 2, 8]) expect(studentCdf(t, df)).toBeCloseTo(jstat.studentt.cdf(t, df), 6);
  }
});

it("matches SciPy, and the closed form of the Cauchy distribution at one degree", () => {
  expect(studentCdf(-5, 3)).toBeCloseTo(0.007696219036651147, 13);
  expect(studentCdf(0.3, 7.5)).toBeCloseTo(0.6138386707156109, 12);
  expect(studentCdf(-40, 1000) / 5.239426077586636e-210).toBeCloseTo(1, 10);
  expect(studentQuantile(0.995, 3)).toBeCloseTo(5.840909309733355, 11);
  expect(studentQuantile(1e-10, 5)).toBeCloseTo(-156.82559270889433, 8);
  expect(studentQuantile(0.6, 40)).toBeCloseTo(0.25503868634581395, 12);
  expect(studentQuantile(0.975, 1e6)).toBeCloseTo(1.959966356814107, 10);
  for (const p of [1e-9, 0.01, 0.3, 0.6, 0.999]) {
    expect(studentQuantile(p, 1) * Math.tan(Math.PI * p)).toBeCloseTo(-1, 9);
  }
});

it("approaches the normal distribution with many degrees of freedom", () => {
  expect(studentQuantile(0.975, 1e9)).toBeCloseTo(normalQuantile(0.975), 7);
});

it("inverts itself, and its two-sided p is twice the tail", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-8, max: 1 - 1e-8, noNaN: true }), fc.integer({ min: 1, max: 5000 }), (p, df) => {
      const t = studentQuantile(p, df);
      expect(studentCdf(t, df)).toBeCloseTo(p, 10);
      expect(studentTwoSidedP(t, df)).toBeCloseTo(2 * Math.min(p, 1 - p), 10);
    }),
  );
});

it("has limits and names an invalid argument", () => {
  expect(studentCdf(Number.POSITIVE_INFINITY, 3)).toBe(1);
  expect(studentTwoSidedP(Number.NEGATIVE_INFINITY, 3)).toBe(0);
  expect(studentQuantile(0.5, 3)).toBe(0);
  expect(() => studentQuantile(1, 3)).toThrow(/^p must/);
  expect(() => studentQuantile(0.9, 0)).toThrow(/^df must/);
  expect(() => studentCdf(Number.NaN, 3)).toThrow(/^t must/);
});
