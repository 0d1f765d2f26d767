import { expect, it } from "vitest";
import { mcnemarExact, mcnemarMidP, signTestOneSided } from "./paired.js";

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

it("counts the observed outcome half in the mid-p value", () => {
  for (let b = 0; b <= 12; b++) {
    for (let c = 0; c <= 12; c++) {
      const choose = (k: number): number => (k <= 0 ? Number(k === 0) : (choose(k - 1) * (b + c - k + 1)) / k);
      const chance = (k: number) => choose(k) / 2 ** (b + c);
      let tail = chance(Math.min(b, c)) / 2;
      for (let k = 0; k < Math.min(b, c); k++) tail += chance(k);
      expect(mcnemarMidP(b, c)).toBeCloseTo(Math.min(1, 2 * tail), 12);
    }
  }
  expect(mcnemarMidP(0, 0)).toBe(1);
});

it("equals the published p-values of 21 children, 1 and 7 of whom changed (Fagerland and others 2013)", () => {
  expect(mcnemarExact(1, 7)).toBeCloseTo(0.0703, 4);
  expect(mcnemarMidP(1, 7)).toBeCloseTo(0.0391, 4);
});
