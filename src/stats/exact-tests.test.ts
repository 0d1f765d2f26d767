import { expect, it } from "vitest";
import { mcnemarExact, signTestOneSided } from "./paired.js";

/** The probability of every number of heads in n fair coin flips. */
function coinChances(n: number): number[] {
  const chances = Array.from({ length: n + 1 }, () => 0);
  for (let outcome = 0; outcome < 2 ** n; outcome++) {
    const heads = outcome.toString(2).replaceAll("0", "").length;
    chances[heads] = (chances[heads] ?? 0) + 2 ** -n;
  }
  return chances;
}

it("returns known values", () => {
  expect(mcnemarExact(2, 1)).toBe(1);
  expect(mcnemarExact(1, 6)).toBeCloseTo(0.125, 12);
  expect(mcnemarExact(0, 5)).toBeCloseTo(0.0625, 12);
  expect(mcnemarExact(0, 0)).toBe(1);
  expect(signTestOneSided(12, 0)).toBeCloseTo(0.000244140625, 14);
  expect(signTestOneSided(4, 0)).toBeCloseTo(0.0625, 14);
  expect(signTestOneSided(0, 0)).toBe(1);
  expect(signTestOneSided(0, 7)).toBe(1);
});

it("matches the enumeration of all coin flips", () => {
  for (let n = 0; n <= 10; n++) {
    const chances = coinChances(n);
    for (let wins = 0; wins <= n; wins++) {
      const atLeast = chances.slice(wins).reduce((sum, chance) => sum + chance, 0);
      const asExtreme = chances.filter((_, heads) => Math.abs(heads - n / 2) >= Math.abs(wins - n / 2));
      expect(signTestOneSided(wins, n - wins)).toBeCloseTo(atLeast, 12);
      expect(mcnemarExact(wins, n - wins)).toBeCloseTo(
        Math.min(
          1,
          asExtreme.reduce((sum, chance) => sum + chance, 0),
        ),
        12,
      );
    }
  }
});

it("handles large counts and names an invalid argument", () => {
  expect(mcnemarExact(500_000, 500_000)).toBe(1);
  expect(mcnemarExact(499_000, 501_000)).toBeCloseTo(0.0456, 3);
  expect(() => mcnemarExact(-1, 2)).toThrow(/^b must/);
  expect(() => signTestOneSided(1, 0.5)).toThrow(/^losses must/);
});
