import jstat from "jstat";
import { expect, it } from "vitest";
import { computeStirlingError, logGamma } from "./distributions.js";

it("matches factorials and jstat", () => {
  let logFactorial = 0;
  for (let n = 1; n <= 100; n++) {
    expect(logGamma(n)).toBeCloseTo(logFactorial, 10);
    logFactorial += Math.log(n);
  }
  for (const x of [0.01, 0.5, 1.5, 9.99, 10, 123.4, 1e6]) {
    expect(Math.abs(logGamma(x) / jstat.gammaln(x) - 1)).toBeLessThan(1e-11);
  }
});

it("is continuous where the direct and asymptotic forms of Stirling's error meet", () => {
  const below = computeStirlingError(10 - 1e-9);
  expect(Math.abs(below - computeStirlingError(10))).toBeLessThan(1e-11);
});

it("rejects arguments without a logarithm", () => {
  for (const x of [0, -1, Number.NaN]) expect(() => logGamma(x)).toThrow(RangeError);
});
