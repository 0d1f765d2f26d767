import { requireOpenProbability } from "./domain.js";

const density = (x: number) => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);

/** The centre by its power series: every term is positive, so nothing cancels. */
function fromCentre(x: number): number {
  let term = x;
  let sum = x;
  for (let odd = 3; ; odd += 2) {
    term *= (x * x) / odd;
    const next = sum + term;
    if (next === sum) return sum * density(x);
    sum = next;
  }
}

/** The tail above x by Laplace's continued fraction, evaluated from its far end. */
function upperTail(x: number): number {
  let value = x;
  for (let k = 120; k >= 1; k--) value = x + k / value;
  return density(x) / value;
}

/**
 * The probability that a standard normal variable is at most x.
 * @example
 * normalCdf(1.959963984540054); // 0.975
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) throw new RangeError("x must be a number, got NaN");
  if (x < -3) return upperTail(-x);
  if (x > 3) return 1 - upperTail(x);
  return 0.5 + fromCentre(x);
}

/**
 * The standard normal quantile: the z with a probability of p below it.
 * @example
 * normalQuantile(0.975); // 1.959963984540054
 */
export function normalQuantile(p: number): number {
  requireOpenProbability("p", p);
  if (p > 0.5) return -normalQuantile(1 - p);
  // Abramowitz and Stegun 26.2.23 is good to 4.5e-4; each Halley step then triples the number of correct digits.
  const t = Math.sqrt(-2 * Math.log(p));
  let x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (let step = 0; step < 3; step++) {
    const newton = (normalCdf(x) - p) / density(x);
    x -= newton / (1 + 0.5 * x * newton);
  }
  return x;
}
