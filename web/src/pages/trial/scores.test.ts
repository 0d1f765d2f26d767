import { expect, test } from "vitest";
import { makeRow } from "../../../../src/core/row.js";
import { explainOutcome, listScores } from "./scores.js";

const ROW = makeRow({
  system: "s",
  exampleId: 1,
  outcome: "fail",
  passed: false,
  scores: { exact: 0, f1: 0.4 },
  primaryField: "f1",
});

test("explains a verdict by the score and the threshold", () => {
  expect(explainOutcome(ROW, 0.7)).toBe("f1 = 0.4, less than 0.7");
  expect(explainOutcome({ ...ROW, outcome: "pass", passed: true }, 0.3)).toBe("f1 = 0.4, at least 0.3");
  expect(explainOutcome(ROW, 0.3)).toBe("f1 = 0.4");
});

test("explains a trial without a score by its notes", () => {
  const attempts = [{ errorCategory: "timeout" as const, message: "no answer", durationMs: 5 }];
  expect(explainOutcome(makeRow({ system: "s", exampleId: 1, outcome: "error", attempts }), 0.7)).toBe("no answer");
  expect(explainOutcome(makeRow({ system: "s", exampleId: 1, outcome: "unscored", notes: ["a", "b"] }), 0.7)).toBe("b");
  expect(explainOutcome(makeRow({ system: "s", exampleId: 1, outcome: "skipped" }), 0.7)).toBeNull();
});

test("lists the deciding score first, and evidence without a score last", () => {
  expect(listScores(ROW, { exact: "differs", judge: "says so" })).toEqual([
    { field: "f1", score: 0.4, evidence: null, decides: true },
    { field: "exact", score: 0, evidence: "differs", decides: false },
    { field: "judge", score: null, evidence: "says so", decides: false },
  ]);
});
