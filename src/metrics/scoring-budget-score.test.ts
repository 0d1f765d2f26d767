import { expect, it } from "vitest";
import { budgetScore } from "./scoring.js";

it.each([
  [1500, 50_000, 1],
  [50_000, 50_000, 1],
  [75_000, 50_000, 0.5],
  [120_000, 50_000, 0],
  [0.6, 0.3, 0.7],
  [1, 0, 0],
  [0, 0, 1],
  [Number.POSITIVE_INFINITY, 10, 0],
])("scores %d of %d", (value, max, expected) => {
  expect(budgetScore(value, max)).toBeCloseTo(expected, 12);
});

it("names an invalid argument", () => {
  expect(() => budgetScore(-1, 5)).toThrow(/^value must/);
  expect(() => budgetScore(1, Number.NaN)).toThrow(/^max must/);
});
