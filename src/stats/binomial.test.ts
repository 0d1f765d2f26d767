import jstat from "jstat";
import { expect, it } from "vitest";
import { binomialCdf } from "./distributions.js";

it("matches the sum of all outcomes", () => {
  for (let n = 0; n <= 10; n++) {
    const counts = Array.from({ length: n + 1 }, () => 0);
    for (let outcome = 0; outcome < 2 ** n; outcome++) {
      const passes = outcome.toString(2).replaceAll("0", "").length;
      counts[passes] = (counts[passes] ?? 0) + 1;
    }
    let total = 0;
    counts.forEach((count, k) => {
      total += count;
      expect(binomialCdf(k, n, 0.5)).toBeCloseTo(total / 2 ** n, 13);
    });
  }
});

it("matches jstat and has exact ends", () => {
  for (const p of [0.03, 0.4, 0.9]) {
    for (const k of [0, 5, 17, 39]) expect(binomialCdf(k, 40, p)).toBeCloseTo(jstat.binomial.cdf(k, 40, p), 9);
  }
  expect(binomialCdf(-1, 5, 0.5)).toBe(0);
  expect(binomialCdf(5, 5, 0.5)).toBe(1);
  expect(binomialCdf(2, 5, 0)).toBe(1);
  expect(binomialCdf(2, 5, 1)).toBe(0);
  expect(() => binomialCdf(1.5, 5, 0.5)).toThrow(/^k must/);
});
