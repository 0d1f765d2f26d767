import { expect, it } from "vitest";
import { incompleteBeta } from "./beta.js";
import { binomialCdf } from "./binomial.js";
import { normalCdf } from "./normal.js";
import { createRandom } from "./random.js";
import { betaVariate, binomialVariate, normalVariate } from "./variates.js";

/** The largest gap between the empirical and the true distribution, times √n (Kolmogorov: 1.95 has a chance of 0.001). */
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
  expect(kolmogorov(() => normalVariate(random), normalCdf)).toBeLessThan(1.95);
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
      () => betaVariate(a, b, random),
      (x) => incompleteBeta(x, a, b),
    ),
  ).toBeLessThan(1.95);
});

it.each([
  [10, 0.3],
  [60, 0.5],
  [1000, 0.02],
  [1_000_000, 0.7],
])("draws from the binomial distribution of %i trials at %d", (n, p) => {
  const random = createRandom(`binomial ${n}`);
  const draws = 5000;
  const counts = Array.from({ length: draws }, () => binomialVariate(n, p, random));
  for (const z of [-2, -1, 0, 1, 2]) {
    const bound = Math.round(n * p + z * Math.sqrt(n * p * (1 - p)));
    const share = counts.filter((count) => count <= bound).length / draws;
    const chance = binomialCdf(bound, n, p);
    expect(Math.abs(share - chance)).toBeLessThan(4 * Math.sqrt((chance * (1 - chance)) / draws) + 1e-9);
  }
});

it("knows certain outcomes", () => {
  const random = createRandom("certain");
  expect(binomialVariate(1000, 0, random)).toBe(0);
  expect(binomialVariate(1000, 1, random)).toBe(1000);
  expect(binomialVariate(0, 0.5, random)).toBe(0);
});
