import fc from "fast-check";
import { expect, it } from "vitest";
import { weightedScore } from "./scoring.js";

it("weights scores and ignores a weight of 0", () => {
  expect(weightedScore([1, 0], [1, 0.5])).toBeCloseTo(2 / 3, 14);
  expect(weightedScore([0.25, 0], [3, 0])).toBe(0.25);
});

it("lies between the lowest and highest score and does not depend on the scale of the weights", () => {
  const entry = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.01, max: 10, noNaN: true }));
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 10 }), (entries) => {
      const scores = entries.map(([score]) => score);
      const weights = entries.map(([, weight]) => weight);
      const score = weightedScore(scores, weights);
      expect(score).toBeGreaterThanOrEqual(Math.min(...scores) - 1e-12);
      expect(score).toBeLessThanOrEqual(Math.max(...scores) + 1e-12);
      expect(
        weightedScore(
          scores,
          weights.map((weight) => weight * 7),
        ),
      ).toBeCloseTo(score, 12);
    }),
  );
});

it.each([
  [[1], [1, 2], /^there must be as many weights/],
  [[1, 0], [1, -1], /^weights must be finite/],
  [[1, 0], [1, Number.NaN], /^weights must be finite/],
  [[1, 0], [0, 0], /^weights must not all be 0/],
  [[], [], /^weights must not all be 0/],
  [[Number.NaN], [1], /^scores must/],
] as const)("rejects %j with %j", (scores, weights, message) => {
  expect(() => weightedScore(scores, weights)).toThrow(RangeError);
  expect(() => weightedScore(scores, weights)).toThrow(message);
});
