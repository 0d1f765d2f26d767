import type { Random } from "./random.js";

/** A standard normal variate (Marsaglia's polar method). */
export function normalVariate(random: Random): number {
  for (;;) {
    const u = 2 * random.next() - 1;
    const v = 2 * random.next() - 1;
    const s = u * u + v * v;
    if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
  }
}

/** A gamma variate of unit scale for shape >= 1 (Marsaglia and Tsang), at a cost that does not depend on the shape. */
export function gammaVariate(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normalVariate(random);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    if (Math.log(1 - random.next()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
}

/** A beta variate for both parameters >= 1. */
export function betaVariate(a: number, b: number, random: Random): number {
  const x = gammaVariate(a, random);
  return x / (x + gammaVariate(b, random));
}

/** Up to here flipping the coins one by one is as fast as splitting them. */
const FEW_TRIALS = 32;

/**
 * A binomial variate in a number of steps logarithmic in n: the median of n uniforms is a beta variate, and it tells
 * on which side of p half of them lie.
 */
export function binomialVariate(n: number, p: number, random: Random): number {
  let [trials, chance, successes] = [n, p, 0];
  while (trials > FEW_TRIALS) {
    const middle = 1 + Math.floor(trials / 2);
    const split = betaVariate(middle, trials + 1 - middle, random);
    if (split >= chance) {
      trials = middle - 1;
      chance /= split;
    } else {
      successes += middle;
      trials -= middle;
      chance = (chance - split) / (1 - split);
    }
  }
  for (let i = 0; i < trials; i++) if (random.next() < chance) successes++;
  return successes;
}
