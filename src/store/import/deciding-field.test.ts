import { expect, it } from "vitest";
import { findDecidingField } from "./context-bench.js";

const ROWS = [
  { system: "a", scores: { recall: 1, f1: 0.5, judge: 0 } },
  { system: "a", scores: { recall: 0, f1: 0.5, judge: 1 } },
  { system: "b", scores: { recall: 1, f1: 0.25 } },
];

it("finds the field whose mean each system's summary holds", () => {
  expect(findDecidingField(ROWS, { a: { mean_score: 0.5 }, b: { mean_score: 1 } })).toBe("recall");
  expect(findDecidingField(ROWS, { a: { mean_score: 0.5 }, b: { mean_score: 0.25 } })).toBe("f1");
  expect(findDecidingField(ROWS, { a: { mean_score: 0.5 }, b: { mean_score: 0 } })).toBe("judge");
});

it("falls back to a common field, then to the first", () => {
  expect(findDecidingField(ROWS, {})).toBe("f1");
  expect(findDecidingField(ROWS, { a: { mean_score: 0.123 } })).toBe("f1");
  expect(findDecidingField([{ system: "a", scores: { rouge: 0.1, other: 1 } }], {})).toBe("rouge");
  expect(findDecidingField([{ system: "a", scores: { rouge: 0.1, score: 1 } }], {})).toBe("score");
  expect(findDecidingField([{ system: "a", scores: {} }], {})).toBeNull();
});
