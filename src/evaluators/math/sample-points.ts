import { Complex } from "complex.js";
import type { Point } from "./evaluate.js";
import { IMAGINARY_UNIT } from "./opaque.js";

const UNIT = new Complex(0, 1);

/** Positive, negative, whole, small and large numbers, and some right below whole ones, where floors jump, without relations between them that two different formulas might share. */
const VALUES: readonly (readonly number[])[] = [
  [1.3717, 0.7193, 2.2361, 0.4477, 3.1871, 1.8313],
  [2, 3, 7, 5, 4, 9],
  [-0.8329, -1.9117, -2.6143, -0.3719, -1.4771, -3.2213],
  [0.3853, 1.6127, 0.9241, 2.7583, 0.5591, 1.1173],
  [5, 2, 3, 8, 11, 6],
  [4.2197, -1.3249, 0.6337, -2.1739, 1.7431, -0.5113],
  [7, 4, 2, 3, 5, 10],
  [0.2917, 0.6421, 0.1873, 0.8117, 0.5279, 0.7543],
  [-0.6173, 0.1429, -0.3391, 0.5867, -0.2287, 0.9161],
  [2 - 1 / 1024, 3 - 1 / 1024, 7 - 1 / 1024, 5 - 1 / 1024, 4 - 1 / 1024, 9 - 1 / 1024],
  [6 - 1 / 1024, 5 - 1 / 1024, 2 - 1 / 1024, 12 - 1 / 1024, 3 - 1 / 1024, 8 - 1 / 1024],
  [163.719, 228.371, 187.143, 211.957, 171.389, 194.163],
  [-181.977, -246.731, -169.387, -201.143, -215.129, -173.961],
];

/** Where two formulas are compared: the same points every time, so that a verdict never changes. */
export function samplePoints(names: readonly string[]): Point[] {
  return VALUES.map((values, row) =>
    Object.fromEntries(
      names.map((name, column) => [name, name === IMAGINARY_UNIT ? UNIT : valueFor(values, row + column)]),
    ),
  );
}

function valueFor(values: readonly number[], place: number): number {
  const value = values[place % values.length] ?? 1;
  return place < values.length ? value : value + Math.floor(place / values.length);
}
