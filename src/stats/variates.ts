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
