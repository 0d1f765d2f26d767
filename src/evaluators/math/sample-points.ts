/** A value for each variable. */
export type Point = Record<string, number>;

/** Positive, negative and whole numbers, without relations between them that two different formulas might share. */
const VALUES: readonly (readonly number[])[] = [
  [1.3717, 0.7193, 2.2361, 0.4477, 3.1871, 1.8313],
  [2, 3, 7, 5, 4, 9],
  [-0.8329, -1.9117, -2.6143, -0.3719, -1.4771, -3.2213],
  [0.3853, 1.6127, 0.9241, 2.7583, 0.5591, 1.1173],
  [5, 2, 3, 8, 11, 6],
  [4.2197, -1.3249, 0.6337, -2.1739, 1.7431, -0.5113],
  [7, 4, 2, 3, 5, 10],
];

/** Where two formulas are compared: the same points every time, so that a verdict never changes. */
export function samplePoints(names: readonly string[]): Point[] {
  return VALUES.map((values, row) =>
    Object.fromEntries(names.map((name, column) => [name, valueFor(values, row + column)])),
  );
}

function valueFor(values: readonly number[], place: number): number {
  const value = values[place % values.length] ?? 1;
  return place < values.length ? value : value + Math.floor(place / values.length);
}
