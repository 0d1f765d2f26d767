import { expect, it } from "vitest";
import { normalizeJudgeScore, type ScoreScale } from "./scoring.js";

it.each([
  [0, "binary", 0],
  [1, "binary", 1],
  [1, "scale_1_5", 0],
  [3, "scale_1_5", 0.5],
  [4.5, "scale_1_5", 0.875],
  [10, "scale_1_10", 1],
] as const)("maps %d on %s", (score, scale, expected) => {
  expect(normalizeJudgeScore(score, scale)).toBe(expected);
});

it.each([
  [0.5, "binary"],
  [2, "binary"],
  [0, "scale_1_5"],
  [6, "scale_1_5"],
  [0, "scale_1_10"],
  [11, "scale_1_10"],
  [Number.NaN, "scale_1_10"],
] as [number, ScoreScale][])("rejects %d on %s", (score, scale) => {
  expect(() => normalizeJudgeScore(score, scale)).toThrow(RangeError);
});
