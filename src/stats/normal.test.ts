import fc from "fast-check";
import jstat from "jstat";
import { expect, it } from "vitest";
import { normalCdf, normalQuantile } from "./distributions.js";

it("returns known values", () => {
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12);
  expect(normalQuantile(0.8)).toBeCloseTo(0.8416212335729143, 12);
  expect(normalQuantile(1e-20)).toBeCloseTo(-9.262340089798409, 11);
  expect(normalCdf(0)).toBe(0.5);
  expect(normalCdf(-10) / 7.61985302416047e-24).toBeCloseTo(1, 12);
  expect(normalCdf(Number.NEGATIVE_INFINITY)).toBe(0);
  expect(normalCdf(Number.POSITIVE_INFINITY)).toBe(1);
});

it("matches jstat and is continuous where its two forms meet", () => {
  for (let x = -6; x <= 6; x += 0.25) expect(normalCdf(x)).toBeCloseTo(jstat.normal.cdf(x, 0, 1), 10);
  expect(normalCdf(-3 - 1e-12) / normalCdf(-3 + 1e-12)).toBeCloseTo(1, 10);
});

it("inverts itself", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }), (p) => {
      expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 13);
    }),
  );
});

it("rejects arguments without a quantile", () => {
  for (const p of [0, 1, -0.1, Number.NaN]) expect(() => normalQuantile(p)).toThrow(/^p must/);
  expect(() => normalCdf(Number.NaN)).toThrow(RangeError);
});
