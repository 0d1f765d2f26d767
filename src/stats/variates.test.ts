import { expect, it } from "vitest";
import { incompleteBeta, normalCdf } from "./distributions.js";

import { createRandom, sampleBeta, sampleNormal } from "./random.js";

/** The Kolmogorov–Smirnov statistic times √n (1.95 has a probability of 0.001). */
function kolmogorov(draw: () => number, cdf: (x: number) => number): number {
  const n = 5000;
  const sorted = Float64Array.from({ length: n }, draw).sort();
  let gap = 0;
  sorted.forEach((x, i) => {
    gap = Math.max(gap, Math.abs(cdf(x) - i / n), Math.abs(cdf(x) - (i + 1) / n));
  });
  return gap * Math.sqrt(n);
}

it("draws from the standard normal distribution", () => {
  const random = createRandom("normal");
  expect(kolmogorov(() => sampleNormal(random), normalCdf)).toBeLessThan(1.95);
});

it.each([
  [1, 1],
  [1, 9],
  [3, 2.5],
  [475, 26],
])("draws from Beta(%d, %d)", (a, b) => {
  const random = createRandom(a + b);
  expect(
    kolmogorov(
      () => sampleBeta(a, b, random),
      (x) => incompleteBeta(x, a, b),
    ),
  ).toBeLessThan(1.95);
});
